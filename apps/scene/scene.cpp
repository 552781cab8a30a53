#include "apps/scene/scene.hpp"

#include <algorithm>
#include <cmath>

#include "apps/scene/places.hpp"
#include "apps/scene/traffic.hpp"

namespace shingle {
namespace {

// A square that every camera of the scene stays inside of, however it is turned.
cv::Rect2d ground_of(const SceneOptions& options, double margin_metres) {
  const double reach =
      std::hypot(options.size.width, options.size.height) / 2 * options.metres_per_pixel +
      margin_metres;
  return {-reach, -reach, 2 * reach, 2 * reach};
}

void choose_base(Scene& scene, SceneDice& dice) {
  const bool green = dice.chance(0.5);
  scene.base_a =
      green ? tinted(dice, {58, 98, 80}, 18) : tinted(dice, grey(dice.within(95, 190)), 15);
  scene.base_b =
      green ? tinted(dice, {75, 118, 112}, 20) : shaded(scene.base_a, dice.within(0.8, 1.1));
  scene.base_roughness = green ? 0.3 : dice.within(0.08, 0.2);
}

// ---- the clip: one street through the picture, a bridge over it, a car park beside it

Road street(SceneDice& dice, double reach) {
  Road road{.axis = bent_axis({-reach - 50, dice.within(-4, 4)}, {reach + 50, dice.within(-4, 4)},
                              dice.within(-6, 6))};
  road.lanes = 2, road.median = 2.6, road.sidewalk = 2.6;
  road.parking_left = road.parking_right = 2.3;
  road.asphalt = dice.within(92, 112), road.mark = 205;
  return road;
}

Road bridge(SceneDice& dice, double reach) {
  const double x = dice.within(-18, -8), lean = dice.within(-10, 10);
  Road road{.axis = bent_axis({x - lean, -reach - 40}, {x + lean, reach + 40}, 0)};
  road.lanes = 1, road.median = 0, road.sidewalk = 0.9, road.level = 6.5;
  road.asphalt = dice.within(120, 140), road.mark = 215;
  return road;
}

void lay_out_roadside(Scene& scene, SceneDice& dice) {
  const Road& road = scene.roads[0];
  for (const bool right : {false, true}) {
    const double side = right ? 1.0 : -1.0, edge = kerb(road, right) + road.sidewalk;
    const bool lot_here = right == (dice.chance(0.5) || scene.lots.empty()) && scene.lots.empty();
    for (double s = 8; s < length_of(road) - 8; s += dice.within(19, 24)) {
      const Pose pose = pose_at(road, s, side * (edge + 8.5));
      if (lot_here && pose.at.x > 4 && scene.lots.empty())
        scene.lots.push_back({.pose = {pose.at + forward(pose.heading) * 6.0, pose.heading},
                              .length = 32,
                              .width = 15.5,
                              .surface = grey(dice.within(118, 135))});
      const bool on_lot = std::any_of(scene.lots.begin(), scene.lots.end(), [&](const Lot& lot) {
        return std::abs(lot.pose.at.x - pose.at.x) < 26 && (lot.pose.at.y > 0) == (pose.at.y > 0);
      });
      if (on_lot || on_road(scene.roads[1], pose.at, 9)) continue;
      if (dice.chance(0.6))
        scene.buildings.push_back(
            draw_building(dice, pose, dice.within(12, 16), dice.within(8, 12)));
      else
        for (int i = 0; i < 4; ++i)
          plant_tree_where_free(scene,
                                pose.at + cv::Point2d(dice.within(-7, 7), dice.within(-4, 4)),
                                dice.within(1.8, 3.6), dice);
    }
    plant_avenue(scene, road, right, 1.6, 12, dice);
  }
}

void lay_out_clip(Scene& scene, SceneDice& dice) {
  scene.ground = ground_of(scene.options, 16);
  const double reach = scene.ground.width / 2;
  scene.look = draw_look(dice, false);
  scene.base_a = tinted(dice, {62, 100, 84}, 8), scene.base_b = tinted(dice, {84, 122, 118}, 8);
  scene.roads = {street(dice, reach), bridge(dice, reach)};
  scatter_patches(scene, 22, dice);
  lay_out_roadside(scene, dice);
  plant_avenue(scene, scene.roads[0], true, -kerb(scene.roads[0], true), 16, dice);
  put_lamps(scene, scene.roads[0], dice);
  scatter_clutter(scene, 90, dice);
  fill_lanes(scene, 0, {.gap_low = 6, .gap_high = 22, .speed_low = 9, .speed_high = 14}, dice);
  fill_lanes(scene, 1, {.gap_low = 10, .gap_high = 30, .speed_low = 8, .speed_high = 11}, dice);
  park_along(scene, scene.roads[0], 0.7, dice);
  for (const Lot& lot : scene.lots) park_in(scene, lot, 0.8, dice);
}

// ---- stills: whatever the dice say

void add_random_roads(Scene& scene, SceneDice& dice) {
  const double reach = scene.ground.width;
  const int count = dice.between(1, 3);
  const double first = dice.within(0, CV_PI);
  for (int i = 0; i < count; ++i) {
    const double angle = i == 0 ? first : first + CV_PI / 2 + dice.within(-0.4, 0.4);
    const cv::Point2d along = forward(angle), across = forward(angle + CV_PI / 2);
    const cv::Point2d middle = across * dice.within(-0.35, 0.35) * reach;
    Road road = draw_road(dice, bent_axis(middle - along * reach, middle + along * reach,
                                          dice.chance(0.5) ? dice.within(-12, 12) : 0.0));
    if (i > 0 && dice.chance(0.15)) road.level = 6.0, road.parking_left = road.parking_right = 0;
    scene.roads.push_back(std::move(road));
  }
}

// Standing and driving cars, none inside another.
void fill_still_roads(Scene& scene, SceneDice& dice) {
  for (size_t i = 0; i < scene.roads.size(); ++i) {
    if (dice.chance(0.1)) continue;
    const bool queue = dice.chance(0.35);
    fill_lanes(scene, i, {.gap_low = queue ? 1.0 : 4.0, .gap_high = queue ? 5.0 : 45.0}, dice);
    park_along(scene, scene.roads[i], dice.within(0.3, 0.95), dice);
  }
  for (const LaneTraffic& lane : scene.lanes)
    for (const LaneTraffic::Driver& driver : lane.drivers) {
      Vehicle vehicle = driver.vehicle;
      const double sway = dice.within(-0.4, 0.4);
      vehicle.pose.at += forward(vehicle.pose.heading + CV_PI / 2) * sway;
      vehicle.pose.heading += dice.chance(0.1) ? dice.within(-0.5, 0.5) : dice.within(-0.05, 0.05);
      add_parked(scene, vehicle);
    }
  scene.lanes.clear();
}

void add_lots(Scene& scene, SceneDice& dice) {
  const int count = dice.chance(0.45) ? dice.between(1, 2) : 0;
  const double reach = scene.ground.width * 0.35;
  for (int i = 0; i < count; ++i) {
    Lot lot{.pose = {{dice.within(-reach, reach), dice.within(-reach, reach)},
                     dice.within(0, 2 * CV_PI)},
            .length = dice.within(15, 45),
            .width = dice.within(11.5, 18),
            .slot = dice.within(2.3, 2.8),
            .surface = tinted(dice, grey(dice.within(75, 185)), 8)};
    const auto near = [&](const Road& road) { return on_road(road, lot.pose.at, lot.width / 2); };
    if (std::any_of(scene.roads.begin(), scene.roads.end(), near)) continue;
    scene.lots.push_back(lot);
    park_in(scene, lot, dice.within(0.3, 0.95), dice);
  }
}

void add_buildings(Scene& scene, SceneDice& dice) {
  const double reach = scene.ground.width / 2;
  for (int i = dice.between(0, 7); i > 0; --i) {
    const Pose pose{{dice.within(-reach, reach), dice.within(-reach, reach)},
                    dice.within(0, CV_PI)};
    const double length = dice.within(8, 28), width = dice.within(6, 15);
    const double margin = std::hypot(length, width) / 2 * 0.8;
    const auto near = [&](const Road& road) { return on_road(road, pose.at, margin); };
    if (std::any_of(scene.roads.begin(), scene.roads.end(), near)) continue;
    scene.buildings.push_back(draw_building(dice, pose, length, width));
  }
}

void lay_out_still(Scene& scene, SceneDice& dice) {
  scene.ground = ground_of(scene.options, 6);
  scene.look = draw_look(dice, true);
  choose_base(scene, dice);
  add_random_roads(scene, dice);
  scatter_patches(scene, dice.between(2, 14), dice);
  add_lots(scene, dice);
  fill_still_roads(scene, dice);
  add_buildings(scene, dice);
  for (const Road& road : scene.roads) {
    if (dice.chance(0.6))
      plant_avenue(scene, road, true, dice.within(0.8, 3), dice.within(7, 16), dice);
    if (dice.chance(0.4))
      plant_avenue(scene, road, false, dice.within(0.8, 3), dice.within(7, 16), dice);
    if (dice.chance(0.5)) put_lamps(scene, road, dice);
  }
  const double reach = scene.ground.width / 2;
  for (int i = dice.between(0, 25); i > 0; --i)
    plant_tree_where_free(scene, {dice.within(-reach, reach), dice.within(-reach, reach)},
                          dice.within(1.2, 4.5), dice);
  scatter_clutter(scene, dice.between(10, 110), dice);
}

}  // namespace

Scene make_scene(const SceneOptions& options) {
  Scene scene;
  scene.options = options;
  SceneDice dice(options.seed);
  if (options.still)
    lay_out_still(scene, dice);
  else
    lay_out_clip(scene, dice);
  return scene;
}

void advance(Scene& scene) {
  for (LaneTraffic& lane : scene.lanes)
    drive(lane, scene.roads[lane.road], 1.0 / scene.options.frames_per_second, scene.next_id);
}

std::vector<Vehicle> vehicles_of(const Scene& scene) {
  std::vector<Vehicle> all = scene.parked;
  for (const LaneTraffic& lane : scene.lanes)
    for (const LaneTraffic::Driver& driver : lane.drivers) all.push_back(driver.vehicle);
  std::stable_sort(all.begin(), all.end(),
                   [](const Vehicle& a, const Vehicle& b) { return a.level < b.level; });
  return all;
}

SceneCamera camera_at(const Scene& scene, uint32_t frame) {
  SceneDice dice(
      sim::mix(scene.options.seed, 7));  // dice of its own: the path does not move the place
  const auto sway = [&](double reach, double seconds) {
    const double phase = dice.within(0, 2 * CV_PI);
    return reach * std::sin(phase + 2 * CV_PI * frame / scene.options.frames_per_second / seconds);
  };
  SceneCamera camera{.size = scene.options.size};
  const bool still = scene.options.still;
  const double turn = still ? dice.within(0, 2 * CV_PI) : dice.within(-0.08, 0.08);
  const double steep = dice.within(0, 2 * CV_PI);
  camera.slant = forward(steep) * (scene.options.altitude * dice.within(0.0, still ? 0.22 : 0.12));
  camera.yaw = turn + sway(0.035, 19);
  camera.centre = {sway(5.0, 23), sway(2.0, 13)};
  const double climb = 1.0 + sway(0.012, 17);
  camera.altitude = scene.options.altitude * climb;
  camera.metres_per_pixel = scene.options.metres_per_pixel * climb;
  return camera;
}

}  // namespace shingle

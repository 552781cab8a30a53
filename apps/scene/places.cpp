#include "apps/scene/places.hpp"

#include <algorithm>
#include <cmath>

namespace shingle {
namespace {

cv::Point2d anywhere(const Scene& scene, SceneDice& dice) {
  const cv::Rect2d& all = scene.ground;
  return {dice.within(all.x, all.x + all.width), dice.within(all.y, all.y + all.height)};
}

bool on_any_road(const Scene& scene, cv::Point2d at, double margin) {
  return std::any_of(scene.roads.begin(), scene.roads.end(),
                     [&](const Road& road) { return on_road(road, at, margin); });
}

bool under_bridge(const Scene& scene, cv::Point2d at, double margin) {
  return std::any_of(scene.roads.begin(), scene.roads.end(), [&](const Road& road) {
    return road.level > 0 && on_road(road, at, road.sidewalk + margin);
  });
}

Colour draw_ground_colour(SceneDice& dice) {
  switch (dice.between(0, 5)) {
    case 0:
    case 1:
      return tinted(dice, {55, 95, 78}, 22);  // grass
    case 2:
      return tinted(dice, {95, 125, 135}, 20);  // dry grass, dirt
    case 3:
      return tinted(dice, grey(dice.within(150, 205)), 12);  // light paving
    case 4:
      return tinted(dice, grey(dice.within(95, 150)), 10);  // paving
    default:
      return tinted(dice, {110, 130, 165}, 18);  // brick, sand
  }
}

Colour draw_roof_colour(SceneDice& dice) {
  switch (dice.between(0, 3)) {
    case 0:
      return tinted(dice, {75, 90, 150}, 20);  // tiles
    case 1:
      return tinted(dice, grey(dice.within(70, 120)), 10);
    case 2:
      return tinted(dice, grey(dice.within(150, 210)), 10);
    default:
      return tinted(dice, {120, 130, 125}, 25);
  }
}

Patch roof_detail(SceneDice& dice, const Pose& pose, double length, double width) {
  const double long_side = dice.within(0.8, 4.5), short_side = dice.within(0.8, 2.2);
  const cv::Point2d at = place(pose, length - 2 * long_side, width - 2 * short_side,
                               {dice.within(-0.5, 0.5), dice.within(-0.5, 0.5)});
  return {.outline = rectangle({at, pose.heading + (dice.chance(0.5) ? 0 : CV_PI / 2)}, long_side,
                               short_side),
          .colour = grey(dice.chance(0.5) ? dice.within(40, 90) : dice.within(170, 235)),
          .roughness = 0.0};
}

// A darker thing beside what stands: its shadow.
void put_shadow(Scene& scene, const Outline& outline, double height) {
  Outline shadow;
  for (const cv::Point2d& point : outline) shadow.push_back(point + scene.look.sun * height);
  scene.marks.push_back({std::move(shadow), grey(55), 0.05});
}

Outline disc(cv::Point2d at, double radius) {
  Outline outline;
  for (int i = 0; i < 12; ++i) outline.push_back(at + forward(CV_PI / 6 * i) * radius);
  return outline;
}

void put_repair(Scene& scene, const Pose& pose, SceneDice& dice) {
  scene.marks.push_back({rectangle(pose, dice.within(0.5, 6.0), dice.within(0.4, 1.6)),
                         grey(dice.within(60, 150)), 0.1});
}

void put_container(Scene& scene, const Pose& pose, SceneDice& dice) {
  const Outline outline = rectangle(pose, dice.within(0.5, 3.5), dice.within(0.4, 1.6));
  if (dice.chance(0.5)) put_shadow(scene, outline, 0.8);
  const Colour colour =
      dice.chance(0.75) ? grey(dice.within(50, 220)) : tinted(dice, {90, 100, 140}, 70);
  scene.marks.push_back({outline, colour, 0.1});
}

void put_person(Scene& scene, const Pose& pose, SceneDice& dice) {
  const cv::Point2d head = pose.at + scene.look.sun * 1.7;
  const cv::Point2d across = cv::Point2d(-scene.look.sun.y, scene.look.sun.x) * 0.3;
  scene.marks.push_back(
      {{pose.at - across, pose.at + across, head + across, head - across}, grey(60), 0.05});
  scene.marks.push_back(
      {disc(pose.at, dice.within(0.2, 0.35)), tinted(dice, grey(dice.within(30, 190)), 40), 0.0});
}

void put_planter(Scene& scene, const Pose& pose, SceneDice& dice) {
  const double radius = dice.within(0.6, 2.2);
  put_shadow(scene, disc(pose.at, radius), 0.7);
  scene.marks.push_back({disc(pose.at, radius), grey(dice.within(120, 210)), 0.05});
  scene.marks.push_back({disc(pose.at, radius * 0.8), tinted(dice, {50, 80, 60}, 25), 0.3});
}

// A pit with ribs: steps to an underpass, a grating, glasshouse panes.
void put_stairwell(Scene& scene, const Pose& pose, SceneDice& dice) {
  const double length = dice.within(3.5, 9.0), width = dice.within(1.6, 3.2);
  scene.marks.push_back(
      {rectangle(pose, length + 0.6, width + 0.6), grey(dice.within(90, 200)), 0.05});
  scene.marks.push_back({rectangle(pose, length, width), grey(dice.within(35, 110)), 0.05});
  const double step = dice.within(0.4, 1.0), light = dice.within(90, 190);
  for (double u = -length / 2 + step; u < length / 2; u += step)
    scene.marks.push_back({rectangle({place(pose, 1, 1, {u, 0}), pose.heading}, step * 0.4, width),
                           grey(light), 0.05});
}

}  // namespace

Outline rectangle(const Pose& pose, double length, double width) {
  return {place(pose, length, width, {-0.5, -0.5}), place(pose, length, width, {0.5, -0.5}),
          place(pose, length, width, {0.5, 0.5}), place(pose, length, width, {-0.5, 0.5})};
}

SceneLook draw_look(SceneDice& dice, bool still) {
  SceneLook look;
  const double angle = dice.within(0, 2 * CV_PI);
  const double reach = still ? dice.within(0.1, 1.6) : dice.within(0.5, 0.9);
  look.sun = {std::cos(angle) * reach, std::sin(angle) * reach};
  look.shade = still ? dice.within(0.3, 0.9) : dice.within(0.45, 0.55);
  if (!still) return look;
  look.contrast = dice.within(0.6, 1.25), look.brightness = dice.within(-25, 30);
  look.haze = dice.chance(0.5) ? dice.within(0.0, 0.35) : 0.0;
  look.saturation = dice.within(0.5, 1.3);
  for (int i = 0; i < 3; ++i) look.cast[i] = dice.within(0.92, 1.08);
  look.blur_pixels = dice.within(0.3, 1.3), look.noise = dice.within(0.5, 6.0);
  look.sharpen = dice.chance(0.3) ? dice.within(0.2, 1.0) : 0.0;
  return look;
}

Building draw_building(SceneDice& dice, const Pose& pose, double length, double width) {
  Building building{.outline = rectangle(pose, length, width), .height = dice.within(4.0, 16.0)};
  building.roof = draw_roof_colour(dice);
  building.wall = tinted(dice, grey(dice.within(90, 190)), 15);
  const int details = dice.between(2, 12);
  for (int i = 0; i < details; ++i)
    building.details.push_back(roof_detail(dice, pose, length, width));
  if (dice.chance(0.35)) {  // dormers or roof windows in a row
    const double light = dice.chance(0.5) ? dice.within(35, 70) : dice.within(180, 235);
    for (double u = -0.4; u < 0.45; u += dice.within(0.1, 0.2))
      building.details.push_back(
          {.outline = rectangle({place(pose, length, width, {u, 0.28}), pose.heading}, 1.1, 1.8),
           .colour = grey(light)});
  }
  if (dice.chance(0.5))  // a ridge, or an edge in another tone
    building.details.push_back({.outline = rectangle(pose, length * 0.98, dice.within(0.15, 0.5)),
                                .colour = shaded(building.roof, dice.within(0.7, 1.3))});
  return building;
}

Tree draw_tree(SceneDice& dice, cv::Point2d at, double radius) {
  return {.at = at,
          .radius = radius,
          .height = radius * dice.within(1.3, 2.2) + 1.5,
          .leaves = tinted(dice, {48, 92, 68}, 16),
          .seed = dice.seed()};
}

Road draw_road(SceneDice& dice, Outline axis) {
  Road road{.axis = std::move(axis)};
  road.lanes = dice.between(1, 3);
  road.lane_width = dice.within(3.0, 3.6);
  road.median = dice.chance(0.3) ? dice.within(1.0, 5.0) : 0.0;
  road.shoulder = dice.within(0.2, 0.8);
  road.sidewalk = dice.chance(0.7) ? dice.within(1.5, 5.0) : 0.0;
  road.parking_left = dice.chance(0.45) ? dice.within(2.1, 2.5) : 0.0;
  road.parking_right = dice.chance(0.45) ? dice.within(2.1, 2.5) : 0.0;
  road.asphalt = dice.within(65, 165);
  road.mark = std::min(245.0, road.asphalt + dice.within(35, 120));
  return road;
}

void plant_tree_where_free(Scene& scene, cv::Point2d at, double radius, SceneDice& dice) {
  if (!on_any_road(scene, at, 0.5) && !under_bridge(scene, at, radius + 0.5))
    scene.trees.push_back(draw_tree(dice, at, radius));
}

void plant_avenue(Scene& scene, const Road& road, bool right, double beyond, double spacing,
                  SceneDice& dice) {
  const double d = kerb(road, right) + beyond;
  for (double s = dice.within(0, spacing); s < length_of(road);
       s += spacing * dice.within(0.8, 1.3)) {
    const cv::Point2d at = pose_at(road, s, (right ? d : -d) + dice.within(-0.3, 0.3)).at;
    const double radius = dice.within(1.3, 3.2);
    if (scene.ground.contains(at) && !under_bridge(scene, at, radius + 0.5))
      scene.trees.push_back(draw_tree(dice, at, radius));
  }
}

void put_lamps(Scene& scene, const Road& road, SceneDice& dice) {
  const double d = kerb(road, true) + 0.5;
  for (double s = dice.within(2, 20); s < length_of(road); s += dice.within(24, 32)) {
    const Pose pose = pose_at(road, s, d);
    const cv::Point2d across = forward(pose.heading - CV_PI / 2);
    scene.posts.push_back({.at = pose.at, .height = dice.within(6, 9), .arm = across * 1.6});
  }
}

void scatter_clutter(Scene& scene, int count, SceneDice& dice) {
  for (int i = 0; i < count; ++i) {
    const Pose pose{anywhere(scene, dice), dice.within(0, CV_PI)};
    if (on_any_road(scene, pose.at, 0.3)) {
      if (dice.chance(0.4)) put_repair(scene, pose, dice);
      continue;
    }
    switch (dice.between(0, 9)) {
      case 0:
        put_stairwell(scene, pose, dice);
        break;
      case 1:
        put_planter(scene, pose, dice);
        break;
      case 2:
      case 3:
      case 4:
        put_person(scene, pose, dice);
        break;
      default:
        put_container(scene, pose, dice);
    }
  }
}

void scatter_patches(Scene& scene, int count, SceneDice& dice) {
  for (int i = 0; i < count; ++i) {
    const cv::Point2d at = anywhere(scene, dice);
    Outline outline;
    const int corners = dice.between(4, 9);
    const double radius = dice.within(4, 22), turn = dice.within(0, CV_PI);
    for (int corner = 0; corner < corners; ++corner)
      outline.push_back(at + forward(turn + 2 * CV_PI * corner / corners) *
                                 (radius * dice.within(0.6, 1.2)));
    const Colour colour = draw_ground_colour(dice);
    const bool green = colour[1] > colour[2] + 8 && colour[1] < 140;
    const double roughness = green ? 0.3 : dice.within(0.04, 0.12);
    scene.patches.push_back({std::move(outline), colour, roughness});
  }
}

}  // namespace shingle

#include "apps/scene/ground.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "apps/scene/places.hpp"

namespace shingle {
namespace {

// One road on its maps.
class RoadPainter {
 public:
  RoadPainter(SurfaceMaps maps, const SceneCamera& camera, const Road& road)
      : maps_(maps), camera_(camera), road_(road) {}

  void band(double d0, double d1, const Colour& colour, double roughness) {
    area(0, length_of(road_), d0, d1, colour, roughness);
  }
  void area(double s0, double s1, double d0, double d1, const Colour& colour, double roughness) {
    const Outline outline = pixels(camera_, strip(road_, s0, s1, d0, d1), road_.level);
    fill(maps_.colour, outline, colour);
    if (maps_.roughness != nullptr) fill(*maps_.roughness, outline, grey(roughness * 255));
  }
  void as_road(double d0, double d1) {
    if (maps_.road == nullptr) return;
    fill(*maps_.road, pixels(camera_, strip(road_, 0, length_of(road_), d0, d1), road_.level),
         grey(255));
  }
  void line(double d, double width) { band(d - width / 2, d + width / 2, grey(road_.mark), 0.1); }
  void dashes(double d, double dash, double gap, double phase) {
    for (double s = phase; s < length_of(road_); s += dash + gap)
      area(s, s + dash, d - 0.07, d + 0.07, grey(road_.mark), 0.1);
  }

 private:
  SurfaceMaps maps_;
  const SceneCamera& camera_;
  const Road& road_;
};

void paint_markings(RoadPainter& painter, const Road& road, SceneDice& dice) {
  const double dash = dice.within(2.0, 4.0), gap = dice.within(3.0, 7.0);
  for (const double side : {-1.0, 1.0}) {
    for (int lane = 1; lane < road.lanes; ++lane)
      painter.dashes(side * (road.median / 2 + lane * road.lane_width), dash, gap,
                     dice.within(0, dash));
    painter.line(side * (half_width(road) - road.shoulder), 0.13);
    if (road.median > 0) painter.line(side * (road.median / 2 + 0.25), 0.13);
  }
  if (road.median <= 0 && dice.chance(0.5)) painter.line(0, 0.14);
  if (road.median <= 0) painter.dashes(0, dash, gap, 0);
}

void paint_arrow(RoadPainter& painter, const Road& road, double s, int lane, bool forward_lane,
                 const Colour& colour) {
  const double d = lane_offset(road, lane, forward_lane), sense = forward_lane ? 1.0 : -1.0;
  const double tip = s + sense * 2.4;
  painter.area(std::min(s, tip), std::max(s, tip), d - 0.1, d + 0.1, colour, 0.1);
  for (int i = 0; i < 6; ++i) {  // the head in slices, so that it follows the bend
    const double a = tip + sense * 0.25 * i, b = a + sense * 0.25, half = 0.48 - 0.08 * i;
    painter.area(std::min(a, b), std::max(a, b), d - half, d + half, colour, 0.1);
  }
}

void paint_crossing(RoadPainter& painter, const Road& road, double s) {
  for (double d = -half_width(road) + 0.4; d < half_width(road) - 0.4; d += 1.0)
    painter.area(s, s + 3.5, d, d + 0.5, grey(road.mark), 0.1);
  painter.area(s - 1.5, s - 1.1, road.median / 2, half_width(road), grey(road.mark), 0.1);
  painter.area(s + 4.6, s + 5.0, -half_width(road), -road.median / 2, grey(road.mark), 0.1);
}

void paint_details(RoadPainter& painter, const Road& road, SceneDice& dice) {
  const double length = length_of(road);
  for (int i = dice.between(2, 10); i > 0; --i) {  // repairs and oil
    const double s = dice.within(0, length), width = dice.within(0.4, 3);
    const double d = dice.within(-half_width(road), half_width(road) - width);
    painter.area(s, s + dice.within(1, 14), d, d + width,
                 grey(road.asphalt * dice.within(0.82, 1.12)), 0.12);
  }
  for (int lane = 0; lane < road.lanes; ++lane)  // the lane's middle is darker
    for (const bool forward_lane : {true, false}) {
      const double d = lane_offset(road, lane, forward_lane);
      painter.band(d - 0.45, d + 0.45, grey(road.asphalt * dice.within(0.93, 1.02)), 0.12);
    }
  for (double s = dice.within(5, 40); s < length; s += dice.within(25, 70))
    for (int lane = 0; lane < road.lanes; ++lane)
      for (const bool forward_lane : {true, false})
        if (dice.chance(0.4)) paint_arrow(painter, road, s, lane, forward_lane, grey(road.mark));
}

void paint_lot(SurfaceMaps maps, const SceneCamera& camera, const Lot& lot) {
  const auto area = [&](const Pose& pose, double length, double width, const Colour& colour) {
    const Outline outline = pixels(camera, rectangle(pose, length, width), 0);
    fill(maps.colour, outline, colour);
    fill(*maps.roughness, outline, grey(0.12 * 255));
  };
  area(lot.pose, lot.length + 1, lot.width, lot.surface);
  const int slots = static_cast<int>(lot.length / lot.slot);
  for (const double row : {-1.0, 1.0})
    for (int i = 0; i <= slots; ++i) {
      const double u = i * lot.slot - slots * lot.slot / 2;
      const cv::Point2d at = place(lot.pose, 1, 1, {u, row * (lot.width / 2 - 2.5)});
      area({at, lot.pose.heading}, 0.12, 5.0, shaded(lot.surface, 1.5));
    }
}

void paint_patch(SurfaceMaps maps, const SceneCamera& camera, const Patch& patch) {
  const Outline outline = pixels(camera, patch.outline, 0);
  fill(maps.colour, outline, patch.colour);
  fill(*maps.roughness, outline, grey(patch.roughness * 255));
}

cv::Mat base_colour(const Scene& scene, cv::Size size, SceneDice& dice) {
  const cv::Mat share = noise(dice, size, {.coarsest = 160, .finest = 10, .persistence = 0.7});
  cv::Mat base(size, CV_8UC3);
  base.forEach<cv::Vec3b>([&](cv::Vec3b& colour, const int* at) {
    const double part = std::clamp(0.5 + 0.5 * share.at<float>(at[0], at[1]), 0.0, 1.0);
    for (int c = 0; c < 3; ++c)
      colour[c] = cv::saturate_cast<uchar>(scene.base_a[c] * (1 - part) + scene.base_b[c] * part);
  });
  return base;
}

// colour * (1 + roughness * grain)
void add_grain(cv::Mat& colour, const cv::Mat& roughness, const cv::Mat& grain) {
  colour.forEach<cv::Vec3b>([&](cv::Vec3b& value, const int* at) {
    const float light = 1.0F + static_cast<float>(roughness.at<uchar>(at[0], at[1])) / 255.0F *
                                   grain.at<float>(at[0], at[1]);
    for (int c = 0; c < 3; ++c)
      value[c] = cv::saturate_cast<uchar>(static_cast<float>(value[c]) * light);
  });
}

}  // namespace

void paint_road(SurfaceMaps maps, const SceneCamera& camera, const Road& road, uint64_t seed) {
  SceneDice dice(seed);
  RoadPainter painter(maps, camera, road);
  const double left = kerb(road, false), right = kerb(road, true);
  if (road.sidewalk > 0)
    painter.band(-left - road.sidewalk, right + road.sidewalk, grey(road.asphalt + 45), 0.1);
  painter.band(-left - 0.2, right + 0.2, grey(road.asphalt + 70), 0.05);  // kerb stones
  painter.band(-left, right, grey(road.asphalt * 1.06), 0.12);
  painter.band(-half_width(road), half_width(road), grey(road.asphalt), 0.12);
  paint_details(painter, road, dice);
  painter.as_road(-left, right);
  paint_markings(painter, road, dice);
  if (road.level == 0 && dice.chance(0.5))
    paint_crossing(painter, road, length_of(road) * dice.within(0.3, 0.7));
  if (road.median <= 0) return;
  const double half = road.median / 2;
  painter.band(-half, half, grey(road.asphalt + 60), 0.05);
  painter.band(-half + 0.2, half - 0.2, {62, 100, 82}, 0.3);
  if (maps.road != nullptr)
    fill(*maps.road, pixels(camera, strip(road, 0, length_of(road), -half, half), road.level),
         grey(0));
}

GroundMap paint_ground(const Scene& scene, double metres_per_pixel) {
  GroundMap ground{.camera = map_camera(scene.ground, metres_per_pixel)};
  const cv::Size size = ground.camera.size;
  SceneDice dice(sim::mix(scene.options.seed, 11));
  ground.colour = base_colour(scene, size, dice);
  ground.road = cv::Mat::zeros(size, CV_8U);
  cv::Mat roughness(size, CV_8U, grey(scene.base_roughness * 255));
  const SurfaceMaps maps{ground.colour, &roughness, &ground.road};
  for (const Patch& patch : scene.patches) paint_patch(maps, ground.camera, patch);
  for (const Lot& lot : scene.lots) paint_lot(maps, ground.camera, lot);
  for (const Road& road : scene.roads)
    if (road.level == 0) paint_road(maps, ground.camera, road, dice.seed());
  for (const Patch& mark : scene.marks) paint_patch(maps, ground.camera, mark);
  add_grain(ground.colour, roughness,
            noise(dice, size, {.coarsest = 48, .finest = 1.5, .persistence = 0.85}));
  return ground;
}

}  // namespace shingle

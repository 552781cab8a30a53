#include "apps/scene/world/surroundings.hpp"

#include <algorithm>
#include <cmath>

#include "apps/scene/places.hpp"

namespace shingle {
namespace {

double distance(cv::Point2d a, cv::Point2d b) { return std::hypot(b.x - a.x, b.y - a.y); }

bool is_within(cv::Point2d at, double reach) {
  return std::abs(at.x) < reach && std::abs(at.y) < reach;
}

// Of a field: straight furrows of two tones.
void lay_field(SceneWorld& world, const Pose& pose, double length, double width, SceneDice& dice) {
  const std::vector<Colour> tones{
      {70, 120, 110}, {60, 105, 80}, {95, 145, 165}, {80, 110, 135}, {55, 95, 70}};
  const Colour tone = tinted(dice, dice.pick(tones), 14);
  world.fields.push_back(
      {.outline = rectangle(pose, length, width), .colour = tone, .roughness = 0.22});
  const double step = dice.within(2.5, 6.0);
  for (double across = -width / 2 + step; across < width / 2; across += step)
    world.fields.push_back(
        {.outline = rectangle({place(pose, 1, 1, {0, across}), pose.heading}, length, step * 0.35),
         .colour = shaded(tone, 0.93),
         .roughness = 0.25});
}

}  // namespace

FreeGround::FreeGround(const RoadNetwork& network) : half_width_(network.half_width) {
  for (const LanePath& axis : network.axes)
    for (size_t i = 0; i < axis.points.size(); i += 4) axes_.push_back(axis.points[i]);
  for (const RoadSegment& segment : network.segments)
    if (segment.is_connector || segment.is_ring_fork)
      for (size_t i = 0; i < segment.path.points.size(); i += 8)
        axes_.push_back(segment.path.points[i]);
}

double FreeGround::to_road(cv::Point2d at) const {
  double least = 1e9;
  for (const cv::Point2d& axis : axes_) least = std::min(least, distance(axis, at));
  return least - half_width_;
}

bool FreeGround::is_free(cv::Point2d at, double radius) const {
  for (const Disc& disc : taken_)
    if (distance(disc.at, at) < disc.radius + radius) return false;
  return to_road(at) > radius;
}

void build_rows(SceneWorld& world, FreeGround& ground, const RowOptions& options, double reach,
                SceneDice& dice) {
  for (const LanePath& axis : world.network.axes)
    for (const double side : {-1.0, 1.0})
      for (double s = dice.within(4, options.spacing); s < length_of(axis);
           s += options.spacing * dice.within(0.85, 1.25)) {
        if (!dice.chance(options.chance)) continue;
        const double length = dice.within(options.length_low, options.length_high);
        const double width = dice.within(options.width_low, options.width_high);
        const Pose road = pose_on(axis, s);
        const double off =
            world.network.half_width + options.set_back * dice.within(1.0, 1.8) + width / 2;
        const Pose pose{road.at + forward(road.heading + side * CV_PI / 2) * off, road.heading};
        // Its four parts, so that a long house keeps off a road that comes from the side.
        const double radius = width * 0.55;
        bool is_free = is_within(pose.at, reach);
        for (const double u : {-0.36, 0.0, 0.36})
          is_free = is_free && ground.is_free(place(pose, length, 1, {u, 0}), radius);
        if (!is_free) continue;
        for (const double u : {-0.36, 0.0, 0.36})
          ground.take(place(pose, length, 1, {u, 0}), radius);
        world.buildings.push_back(draw_building(dice, pose, length, width));
      }
}

void plant_rows(SceneWorld& world, FreeGround& ground, double beyond, double spacing, double reach,
                SceneDice& dice) {
  for (const LanePath& axis : world.network.axes)
    for (const double side : {-1.0, 1.0})
      for (double s = dice.within(0, spacing); s < length_of(axis);
           s += spacing * dice.within(0.7, 1.4)) {
        const double radius = dice.within(1.4, 3.0);
        const Pose road = pose_on(axis, s);
        const double off = world.network.half_width + beyond + dice.within(0.0, 0.8);
        const cv::Point2d at = road.at + forward(road.heading + side * CV_PI / 2) * off;
        // The trunk keeps off the road; the crown may hang over it.
        if (!is_within(at, reach) || !ground.is_free(at, std::min(0.5, beyond * 0.9))) continue;
        if (ground.to_road(at) < 0.3) continue;
        ground.take(at, radius * 0.8);
        world.trees.push_back(draw_tree(dice, at, radius));
      }
}

void plant_anywhere(SceneWorld& world, FreeGround& ground, int count, double reach,
                    SceneDice& dice) {
  for (int i = 0; i < count; ++i) {
    const cv::Point2d at = somewhere(reach, dice);
    const double radius = dice.within(1.6, 4.2);
    if (!ground.is_free(at, radius)) continue;
    ground.take(at, radius * 0.8);
    world.trees.push_back(draw_tree(dice, at, radius));
  }
}

cv::Point2d somewhere(double reach, SceneDice& dice) {
  const double x = dice.within(-reach, reach);
  return {x, dice.within(-reach, reach)};
}

void plant_wood(SceneWorld& world, FreeGround& ground, cv::Point2d middle, double most_radius,
                SceneDice& dice) {
  const double radius = most_radius * dice.within(0.35, 1.0);
  const int count = static_cast<int>(radius * radius * 0.04);
  for (int i = 0; i < count; ++i) {
    const cv::Point2d way = forward(dice.within(0, 2 * CV_PI));
    const cv::Point2d off = way * (radius * std::sqrt(dice.within(0, 1)));
    const double crown = dice.within(2.4, 4.5);
    if (!ground.is_free(middle + off, crown * 0.75)) continue;
    ground.take(middle + off, crown * 0.55);
    world.trees.push_back(draw_tree(dice, middle + off, crown));
  }
}

void put_street_lamps(SceneWorld& world, double spacing, double reach, SceneDice& dice) {
  for (const LanePath& axis : world.network.axes)
    for (double s = dice.within(4, spacing); s < length_of(axis) - 4; s += spacing) {
      const Pose road = pose_on(axis, s);
      const cv::Point2d right = forward(road.heading - CV_PI / 2);
      const cv::Point2d at = road.at + right * (world.network.half_width - 0.3);
      if (is_within(at, reach))
        world.lamps.push_back({.at = at, .height = 7.5, .arm = right * -1.8});
    }
}

void lay_fields(SceneWorld& world, double reach, SceneDice& dice) {
  const double turn = dice.within(-0.4, 0.4);
  for (double y = -reach; y < reach;) {
    const double width = dice.within(45, 110);
    for (double x = -reach * 1.2; x < reach * 1.2;) {
      const double length = dice.within(90, 220);
      const cv::Point2d at =
          forward(turn) * (x + length / 2) + forward(turn + CV_PI / 2) * (y + width / 2);
      if (dice.chance(0.8)) lay_field(world, {at, turn}, length - 3, width - 3, dice);
      x += length;
    }
    y += width;
  }
}

void park_at_kerbs(SceneWorld& world, double share, double reach, SceneDice& dice) {
  const double from_axis = world.network.parking_from_axis;
  for (const LanePath& axis : world.network.axes)
    for (const double side : {-1.0, 1.0})
      for (double s = 9.0; s < length_of(axis) - 9.0; s += dice.within(5.8, 7.0)) {
        if (!dice.chance(share)) continue;
        Vehicle vehicle;
        do {
          vehicle.shape = draw_vehicle_shape(dice, 0.0);
        } while (vehicle.shape.length > 5.6);
        const Pose road = pose_on(axis, s);
        // Right of the axis it looks along the road, left of it against it.
        const double left = side * (from_axis + dice.within(-0.1, 0.1));
        vehicle.pose = {road.at + forward(road.heading + CV_PI / 2) * left,
                        road.heading + (side > 0 ? CV_PI : 0.0) + dice.within(-0.03, 0.03)};
        vehicle.id = first_parked_id + static_cast<uint32_t>(world.parked.size());
        if (is_within(vehicle.pose.at, reach)) world.parked.push_back(std::move(vehicle));
      }
}

}  // namespace shingle

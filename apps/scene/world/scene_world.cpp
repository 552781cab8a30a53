#include "apps/scene/world/scene_world.hpp"

#include <cmath>

#include "apps/scene/places.hpp"
#include "apps/scene/world/surroundings.hpp"

namespace shingle {
namespace {

WorldLight draw_light(const WorldOptions& options, SceneDice& dice) {
  WorldLight light{.daylight = options.daylight};
  // The sun stands in the south: shadows fall to the north.
  const double angle = CV_PI / 2 + dice.within(-1.1, 1.1);
  switch (options.daylight) {
    case Daylight::day:
      light.sun = forward(angle) * dice.within(0.35, 1.1);
      light.shade = dice.within(0.42, 0.6);
      break;
    case Daylight::dusk:
      light.sun = forward(angle + (dice.chance(0.5) ? 1.0 : -1.0));
      light.sun *= dice.within(2.2, 3.2);
      light.shade = dice.within(0.6, 0.7), light.ambient = dice.within(0.55, 0.68);
      light.look.cast = {0.86, 0.95, 1.08};
      light.air = {150, 150, 165};
      break;
    case Daylight::night:
      light.shade = 1.0, light.ambient = dice.within(0.15, 0.22);
      light.look.cast = {0.92, 0.98, 1.04};
      light.air = {48, 46, 44};
      break;
  }
  if (options.haze > 0) {
    // share = 1 - exp(-k * 100 m)
    light.haze_per_metre = -std::log(1.0 - std::min(options.haze, 0.95)) / 100.0;
    light.shade = std::min(1.0, light.shade + 0.2);
  }
  light.look.contrast = dice.within(0.92, 1.06), light.look.brightness = dice.within(-6, 6);
  light.look.saturation = dice.within(0.85, 1.1);
  light.look.blur_pixels = dice.within(0.45, 0.7);
  light.look.noise = options.daylight == Daylight::night  ? dice.within(3.5, 5.5)
                     : options.daylight == Daylight::dusk ? dice.within(2.5, 3.5)
                                                          : dice.within(1.2, 2.4);
  return light;
}

void surround_local(SceneWorld& world, double reach, SceneDice& dice) {
  FreeGround ground(world.network);
  const double limit = std::min(reach, 450.0);
  build_rows(world, ground, {.set_back = 3.0, .spacing = 21, .chance = 0.85}, limit, dice);
  plant_rows(world, ground, 0.8, 16, limit, dice);
  plant_anywhere(world, ground, static_cast<int>(limit * limit / 160), limit, dice);
  put_street_lamps(world, 28, limit, dice);
  park_at_kerbs(world, 0.5, limit, dice);
}

void surround_rural(SceneWorld& world, double reach, SceneDice& dice) {
  lay_fields(world, reach, dice);
  FreeGround ground(world.network);
  const double limit = std::min(reach, 700.0);
  build_rows(world, ground, {.set_back = 12, .spacing = 70, .chance = 0.25}, limit, dice);
  plant_rows(world, ground, 2.2, 34, limit, dice);
  for (int i = dice.between(3, 6); i > 0; --i) {
    plant_wood(world, ground, somewhere(limit, dice), 50, dice);
  }
}

void surround_highway(SceneWorld& world, double reach, SceneDice& dice) {
  lay_fields(world, reach, dice);
  FreeGround ground(world.network);
  const double limit = std::min(reach, 700.0);
  build_rows(world, ground,
             {.set_back = 35,
              .spacing = 110,
              .chance = 0.5,
              .length_low = 25,
              .length_high = 60,
              .width_low = 18,
              .width_high = 30},
             limit, dice);
  plant_rows(world, ground, 9.0, 13, limit, dice);
  for (int i = dice.between(2, 4); i > 0; --i)
    plant_wood(world, ground, somewhere(limit, dice), 55, dice);
  const LanePath& axis = world.network.axes[0];
  const double at = length_of(axis) / 2 + (dice.chance(0.5) ? 1.0 : -1.0) * dice.within(55, 85);
  Pose middle = pose_on(axis, at);
  middle.heading += CV_PI / 2 + dice.within(-0.15, 0.15);
  world.footbridges.push_back({.middle = middle, .length = 2 * world.network.half_width + 14});
}

void surround_roundabout(SceneWorld& world, double reach, SceneDice& dice) {
  FreeGround ground(world.network);
  const double limit = std::min(reach, 500.0);
  for (int i = dice.between(2, 5); i > 0; --i) {  // on the island
    const cv::Point2d way = forward(dice.within(0, 2 * CV_PI)), at = way * dice.within(0, 8);
    world.trees.push_back(draw_tree(dice, at, dice.within(1.0, 1.9)));
  }
  build_rows(world, ground, {.set_back = 7, .spacing = 30, .chance = 0.6}, limit, dice);
  plant_rows(world, ground, 1.8, 18, limit, dice);
  plant_anywhere(world, ground, static_cast<int>(limit * limit / 420), limit, dice);
  put_street_lamps(world, 30, limit, dice);
}

}  // namespace

const char* name_of(Daylight daylight) {
  switch (daylight) {
    case Daylight::day:
      return "day";
    case Daylight::dusk:
      return "dusk";
    case Daylight::night:
      return "night";
  }
  return "";
}

SceneWorld make_world(const WorldOptions& options) {
  SceneDice dice(sim::mix(options.seed, 301));
  const bool is_green =
      options.kind == PlaceKind::rural || options.kind == PlaceKind::highway || dice.chance(0.7);
  SceneWorld world{.seed = options.seed,
                   .network = make_network({options.kind, options.reach, options.seed}),
                   .light = draw_light(options, dice)};
  world.base_a = is_green ? tinted(dice, {60, 100, 82}, 14) : tinted(dice, grey(130), 12);
  world.base_b = is_green ? tinted(dice, {78, 120, 112}, 16) : tinted(dice, {110, 130, 145}, 12);
  world.base_roughness = is_green ? 0.28 : 0.14;
  switch (options.kind) {
    case PlaceKind::local:
      surround_local(world, options.reach, dice);
      break;
    case PlaceKind::rural:
      surround_rural(world, options.reach, dice);
      break;
    case PlaceKind::highway:
      surround_highway(world, options.reach, dice);
      break;
    case PlaceKind::roundabout:
      surround_roundabout(world, options.reach, dice);
      break;
  }
  return world;
}

}  // namespace shingle

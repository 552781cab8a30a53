// A country road that winds through fields; a smaller one joins it.
#include <cmath>

#include "apps/scene/network/junction.hpp"

namespace shingle {
namespace {

constexpr double setback = 13.0;

LanePath winding(SceneDice& dice, double reach) {
  const double swing = dice.within(6, 16), wave = dice.within(260, 420);
  const double phase = dice.within(0, 2 * CV_PI);
  Outline corners;
  for (double x = -reach; x <= reach; x += 1.0) {
    const double shift = std::sin(2 * CV_PI * x / wave + phase) - std::sin(phase);
    corners.push_back({x, swing * shift});
  }
  return path_through(corners);
}

}  // namespace

RoadNetwork make_rural(const NetworkOptions& options) {
  SceneDice dice(sim::mix(options.seed, 102));
  RoadNetwork network{.kind = PlaceKind::rural, .truck_share = 0.14};
  RoadSection section{.lane_width = 3.4,
                      .shoulder = 0.5,
                      .asphalt = dice.within(85, 125),
                      .mark = 215,
                      .limit = dice.within(19, 24)};
  const double reach = options.reach + 30.0;
  const LanePath main = winding(dice, reach);
  const double joint = length_of(main) / 2 + dice.within(-8, 8);
  const LanePath west = part_of(main, 0, joint - setback);
  const LanePath east = part_of(main, joint + setback, length_of(main));
  const Pose middle = pose_on(main, joint);
  const double lean = dice.within(-0.25, 0.25), side = middle.heading - CV_PI / 2 + lean;
  const LanePath south =
      path_through({middle.at + forward(side) * reach * 1.2, middle.at + forward(side) * setback});

  const RoadLanes w =
      lay_lanes(network, west, section, {.begin_is_open = true, .arrivals_per_second = 0.18});
  const RoadLanes e =
      lay_lanes(network, east, section, {.end_is_open = true, .arrivals_per_second = 0.18});
  RoadSection minor = section;
  minor.limit = 13.9, minor.lane_width = 3.2;
  const RoadLanes s =
      lay_lanes(network, south, minor, {.begin_is_open = true, .arrivals_per_second = 0.04});
  const std::vector<JunctionArm> arms{{w.there, w.back, west, true},
                                      {e.back, e.there, reversed(east), true},
                                      {s.there, s.back, south, false}};
  lay_junction(network, arms, section);
  draw_road(network, west, section);
  draw_road(network, east, section);
  draw_road(network, south, minor);
  network.axes = {west, east, south};
  network.half_width = outer_edge(section);
  const double half = asphalt_edge(section);
  network.gates = {gate_across("west", west, length_of(west) - 12, half),
                   gate_across("east", reversed(east), length_of(east) - 12, half),
                   gate_across("south", south, length_of(south) - 4, half)};
  return network;
}

}  // namespace shingle

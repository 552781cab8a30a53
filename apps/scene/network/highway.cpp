// A highway of three lanes each way; on the northbound side an exit and an entry.
#include <cmath>

#include "apps/scene/network/network_parts.hpp"

namespace shingle {
namespace {

constexpr double ramp_limit = 24.0;  // metres per second

LanePath gentle_bend(SceneDice& dice, double reach) {
  const double bow = dice.within(-1.0, 1.0) * reach * 0.06, start = dice.within(-5, 5);
  Outline corners;
  for (double x = -reach; x <= reach; x += 1.0) {
    const double share = x / reach;
    corners.push_back({x, start + bow * (1 - share * share)});
  }
  return path_through(corners);
}

// The outer lane of one side, in three parts: before the entry, up to the exit, behind it.
class OuterLane {
 public:
  OuterLane(RoadNetwork& network, const RoadSection& section, const LanePath& axis, double middle)
      : network_(network), section_(section), axis_(axis), middle_(middle) {}

  void lay(double arrivals, SceneDice& dice) {
    const double d = lane_middle(section_, section_.lanes - 1), length = length_of(axis_);
    const LanePath lane = beside(axis_, -d);
    // The entry comes first, so that the ramps do not cross.
    const double merge = middle_ - dice.within(45, 60), fork = middle_ + dice.within(45, 60);
    const size_t before = add_segment(network_, part_of(lane, 0, merge), section_.limit);
    const size_t between = add_segment(network_, part_of(lane, merge, fork), section_.limit);
    const size_t after = add_segment(network_, part_of(lane, fork, length), section_.limit);
    network_.segments[before].arrivals_per_second = arrivals;
    join(network_, before, between);
    join(network_, between, after);
    lay_entry(before, between, lane, merge);
    lay_exit(between, lane, fork);
  }

 private:
  // Away from the lane, ever farther to its right.
  LanePath away(const LanePath& lane, double from, double sense) const {
    const Pose start = pose_on(lane, from);
    Outline corners;
    for (double s = 0; s <= 400; s += 1.0) {
      const double right = s < 60 ? 0.00126 * s * s : 4.536 + 0.1512 * (s - 60);
      const cv::Point2d along = forward(start.heading) * (sense * s);
      corners.push_back(start.at + along + forward(start.heading - CV_PI / 2) * right);
    }
    return path_through(corners);
  }

  void lay_exit(size_t before, const LanePath& lane, double fork) {
    const LanePath ramp = away(lane, fork, 1.0);
    const size_t id = add_segment(network_, ramp, ramp_limit);
    network_.segments[id].turn = LaneTurn::right;
    join(network_, before, id);
    draw_ramp(ramp);
    network_.gates.push_back(gate_across("exit", ramp, 75, section_.lane_width / 2 + 0.6));
  }

  void lay_entry(size_t before, size_t between, const LanePath& lane, double merge) {
    const LanePath whole = reversed(away(lane, merge, -1.0));
    constexpr double taper = 55.0;  // the part that is entered when there is a gap
    const size_t ramp =
        add_segment(network_, part_of(whole, 0, length_of(whole) - taper), ramp_limit);
    const size_t last = add_segment(
        network_, part_of(whole, length_of(whole) - taper, length_of(whole)), section_.limit);
    network_.segments[ramp].arrivals_per_second = 0.07;
    network_.segments[last].is_connector = true;
    network_.segments[last].gives_way_to = {before};
    join(network_, ramp, last);
    join(network_, last, between);
    draw_ramp(whole);
    network_.gates.push_back(
        gate_across("entry", whole, length_of(whole) - 75, section_.lane_width / 2 + 0.6));
  }

  void draw_ramp(const LanePath& ramp) {
    const double half = section_.lane_width / 2;
    network_.drawing.asphalt.push_back({.outline = band_along(ramp, -half - 1.0, half + 0.5),
                                        .colour = grey(section_.asphalt),
                                        .roughness = 0.12});
    draw_line(network_, beside(ramp, -half), 0.13, section_.mark);
    network_.axes.push_back(ramp);
  }

  RoadNetwork& network_;
  const RoadSection& section_;
  const LanePath& axis_;
  double middle_;
};

}  // namespace

RoadNetwork make_highway(const NetworkOptions& options) {
  SceneDice dice(sim::mix(options.seed, 103));
  RoadNetwork network{.kind = PlaceKind::highway, .truck_share = 0.2};
  const RoadSection section{.lanes = 3,
                            .lane_width = 3.6,
                            .median = dice.within(3.0, 5.0),
                            .shoulder = 2.6,
                            .asphalt = dice.within(85, 130),
                            .mark = 220,
                            .limit = dice.within(29, 34)};
  const LanePath axis = gentle_bend(dice, options.reach + 60.0);
  const double middle = length_of(axis) / 2, arrivals = dice.within(0.3, 0.42);
  network.axes.push_back(axis);
  draw_road(network, axis, section);
  for (int lane = 0; lane < section.lanes; ++lane) {
    const double d = lane_middle(section, lane);
    const size_t back = add_segment(network, reversed(beside(axis, d)), section.limit);
    network.segments[back].arrivals_per_second = arrivals;
    if (lane + 1 == section.lanes) continue;
    const size_t there = add_segment(network, beside(axis, -d), section.limit);
    network.segments[there].arrivals_per_second = arrivals;
  }
  OuterLane(network, section, axis, middle).lay(0.6 * arrivals, dice);
  network.half_width = asphalt_edge(section);
  const double half = section.lanes * section.lane_width / 2;
  const double carriageway = section.median / 2 + half;
  network.gates.push_back(gate_across("east", beside(axis, -carriageway), middle, half));
  network.gates.push_back(gate_across("west", reversed(beside(axis, carriageway)), middle, half));
  return network;
}

}  // namespace shingle

// Local streets: a grid of blocks, parked cars, junctions where the first to come goes first.
#include <algorithm>
#include <array>
#include <cmath>

#include "apps/scene/network/junction.hpp"

namespace shingle {
namespace {

constexpr double setback = 11.0;          // metres from a junction's middle to where lanes end
constexpr double farthest_block = 420.0;  // beyond it there are no more streets

// Places of the streets along one direction: one near the middle, the others a block apart.
std::vector<double> street_places(SceneDice& dice, double reach) {
  const double block = dice.within(78, 105), first = dice.within(-12, 12);
  std::vector<double> places;
  const int count = std::max(1, static_cast<int>(std::min(reach, farthest_block) / block));
  for (int i = -count; i <= count; ++i)
    places.push_back(first + i * block + (i == 0 ? 0.0 : dice.within(-6, 6)));
  return places;
}

class Grid {
 public:
  Grid(const NetworkOptions& options, SceneDice& dice) : options_(options) {
    network_.kind = PlaceKind::local;
    network_.truck_share = 0.07;
    section_ = {.lane_width = dice.within(3.2, 3.5),
                .parking = 2.2,
                .sidewalk = dice.within(2.0, 3.2),
                .asphalt = dice.within(88, 122),
                .mark = 205,
                .limit = dice.within(10.5, 13.9)};
    xs_ = street_places(dice, options.reach);
    ys_ = street_places(dice, options.reach);
    arms_.resize(xs_.size() * ys_.size());
  }

  RoadNetwork build() {
    const double end = options_.reach + 25.0;
    for (size_t i = 0; i < xs_.size(); ++i) lay_street(ys_, -end, end, true, i);
    for (size_t j = 0; j < ys_.size(); ++j) lay_street(xs_, -end, end, false, j);
    for (const std::vector<JunctionArm>& arms : arms_) lay_junction(network_, arms, section_);
    network_.half_width = outer_edge(section_);
    network_.parking_from_axis = section_.lane_width + section_.parking / 2;
    name_gates();
    return std::move(network_);
  }

 private:
  std::vector<JunctionArm>& arms_at(bool is_north, size_t street, size_t crossing) {
    return is_north ? arms_[street * ys_.size() + crossing] : arms_[crossing * ys_.size() + street];
  }

  // From one border to the other, cut at each crossing street.
  void lay_street(const std::vector<double>& crossings, double begin, double end, bool is_north,
                  size_t street) {
    const double at = is_north ? xs_[street] : ys_[street];
    const auto point = [&](double s) { return is_north ? cv::Point2d(at, s) : cv::Point2d(s, at); };
    for (size_t i = 0; i <= crossings.size(); ++i) {
      const bool is_first = i == 0, is_last = i == crossings.size();
      const double from = is_first ? begin : crossings[i - 1] + setback;
      const double to = is_last ? end : crossings[i] - setback;
      const LanePath axis = path_through({point(from), point(to)});
      const RoadLanes lanes = lay_lanes(
          network_, axis, section_,
          {.begin_is_open = is_first, .end_is_open = is_last, .arrivals_per_second = 0.055});
      draw_road(network_, axis, section_);
      network_.axes.push_back(axis);
      if (!is_first)
        arms_at(is_north, street, i - 1).push_back({lanes.back, lanes.there, reversed(axis)});
      if (!is_last) arms_at(is_north, street, i).push_back({lanes.there, lanes.back, axis});
    }
  }

  // Around the junction that is nearest to the middle.
  void name_gates() {
    const auto nearest = [](const std::vector<double>& places) {
      return static_cast<size_t>(
          std::min_element(places.begin(), places.end(),
                           [](double a, double b) { return std::abs(a) < std::abs(b); }) -
          places.begin());
    };
    const double reach = asphalt_edge(section_);
    for (const JunctionArm& arm : arms_at(true, nearest(xs_), nearest(ys_))) {
      const Pose end = end_of(arm.axis);
      const auto side = static_cast<size_t>(std::lround(end.heading / (CV_PI / 2)) & 3);
      const std::array<std::string, 4> names{"west", "south", "east", "north"};
      network_.gates.push_back(
          gate_across(names[side], arm.axis, std::max(0.0, length_of(arm.axis) - 2.0), reach));
    }
  }

  const NetworkOptions& options_;
  RoadSection section_;
  std::vector<double> xs_, ys_;
  std::vector<std::vector<JunctionArm>> arms_;
  RoadNetwork network_;
};

}  // namespace

RoadNetwork make_local(const NetworkOptions& options) {
  SceneDice dice(sim::mix(options.seed, 101));
  return Grid(options, dice).build();
}

}  // namespace shingle

// A roundabout of one lane and four arms. The ring turns counterclockwise and goes first.
//
//            exit |  ^ entry of an arm: it leaves the ring before the arm's middle, and joins it
//                 v  |                  behind it
//          . - - - - - - .
//        (   <- - ring <-  )
#include <algorithm>
#include <array>
#include <cmath>

#include "apps/scene/network/network_parts.hpp"

namespace shingle {
namespace {

constexpr double ring_half_lane = 2.9;  // metres
constexpr double node_angle = 0.46;     // radians between an arm's middle and where its lanes join

struct RingArm {
  double angle = 0.0;
  size_t entry = 0, exit = 0;  // lanes
  LanePath axis;               // towards the ring
};

class Ring {
 public:
  Ring(const NetworkOptions& options, SceneDice& dice)
      : reach_(options.reach + 30.0), radius_(dice.within(17.0, 20.0)) {
    network_.kind = PlaceKind::roundabout;
    network_.truck_share = 0.1;
    network_.long_vehicles_turn = true;
    section_ = {.lane_width = dice.within(3.4, 3.7),
                .median = 2.2,
                .shoulder = 0.4,
                .sidewalk = dice.chance(0.5) ? 2.4 : 0.0,
                .asphalt = dice.within(85, 120),
                .mark = 215,
                .limit = 13.9};
    for (int i = 0; i < 4; ++i)
      arms_.push_back({.angle = i * CV_PI / 2 + dice.within(-0.12, 0.12), .axis = {}});
    arrivals_ = dice.within(0.085, 0.12);
  }

  RoadNetwork build() {
    for (RingArm& arm : arms_) lay_arm(arm);
    lay_ring();
    draw_ring();
    network_.half_width = outer_edge(section_);
    const std::array<std::string, 4> names{"east", "north", "west", "south"};
    for (size_t i = 0; i < arms_.size(); ++i)
      network_.gates.push_back(gate_across(names[i], arms_[i].axis, length_of(arms_[i].axis) - 5.0,
                                           asphalt_edge(section_)));
    return std::move(network_);
  }

 private:
  void lay_arm(RingArm& arm) {
    const cv::Point2d out = forward(arm.angle);
    arm.axis = path_through({out * reach_ * 1.45, out * (radius_ + ring_half_lane + 4.5)});
    const RoadLanes lanes = lay_lanes(network_, arm.axis, section_,
                                      {.begin_is_open = true, .arrivals_per_second = arrivals_});
    arm.entry = lanes.there[0], arm.exit = lanes.back[0];
    draw_road(network_, arm.axis, section_);
    network_.axes.push_back(arm.axis);
  }

  LanePath arc(double begin, double end) const {
    if (end < begin) end += 2 * CV_PI;
    return arc_around({0, 0}, radius_, begin, end);
  }

  // Passing an arm: from where its exit leaves to where its entry joins. Then on to the next arm.
  void lay_ring() {
    std::vector<size_t> passing, between;
    for (size_t i = 0; i < arms_.size(); ++i) {
      const double at = arms_[i].angle, next = arms_[(i + 1) % arms_.size()].angle;
      passing.push_back(add_segment(network_, arc(at - node_angle, at + node_angle), 7.0));
      between.push_back(add_segment(network_, arc(at + node_angle, next - node_angle), 7.0));
    }
    for (size_t i = 0; i < arms_.size(); ++i) {
      const size_t next = (i + 1) % arms_.size();
      join(network_, passing[i], between[i]);
      join(network_, between[i], passing[next]);
      const size_t entry = connect(network_, arms_[i].entry, between[i]);
      network_.segments[entry].gives_way_to = {passing[i]};
      const size_t exit = connect(network_, between[i], arms_[next].exit);
      network_.segments[exit].is_connector = false;  // nobody is in the way
      network_.segments[between[i]].is_ring_fork = true;
      connectors_.push_back(entry);
      connectors_.push_back(exit);
    }
  }

  void draw_ring() {
    const double lane = ring_half_lane;
    const auto whole = arc_around({0, 0}, radius_, 0.0, 2 * CV_PI);
    network_.drawing.asphalt.push_back(
        {.outline = circle(radius_ + lane), .colour = grey(section_.asphalt), .roughness = 0.12});
    for (const size_t id : connectors_)
      network_.drawing.asphalt.push_back(
          {.outline = band_along(network_.segments[id].path, -2.4, 2.4),
           .colour = grey(section_.asphalt),
           .roughness = 0.12});
    draw_dashes(network_, beside(whole, -lane + 0.3), 1.0, 1.0, section_.mark);
    draw_line(network_, beside(whole, lane - 0.3), 0.13, section_.mark);
    network_.drawing.islands.push_back(
        {.outline = circle(radius_ - lane), .colour = grey(section_.asphalt + 60)});
    network_.drawing.islands.push_back(
        {.outline = circle(radius_ - lane - 1.4), .colour = {60, 104, 84}, .roughness = 0.3});
  }

  static Outline circle(double radius) {
    Outline outline;
    for (int i = 0; i < 96; ++i) outline.push_back(forward(2 * CV_PI * i / 96) * radius);
    return outline;
  }

  double reach_, radius_, arrivals_ = 0.1;
  RoadSection section_;
  std::vector<RingArm> arms_;
  std::vector<size_t> connectors_;
  RoadNetwork network_;
};

}  // namespace

RoadNetwork make_roundabout(const NetworkOptions& options) {
  SceneDice dice(sim::mix(options.seed, 104));
  return Ring(options, dice).build();
}

}  // namespace shingle

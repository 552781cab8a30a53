#include "apps/scene/network/junction.hpp"

namespace shingle {
namespace {

// What lies between the ends of the arms, each `half_width` to both sides.
Outline between(std::span<const JunctionArm> arms, double half_width) {
  Outline corners;
  for (const JunctionArm& arm : arms) {
    const Pose end = end_of(arm.axis);
    const cv::Point2d left = forward(end.heading + CV_PI / 2) * half_width;
    corners.push_back(end.at + left);
    corners.push_back(end.at - left);
  }
  return hull(corners);
}

void draw_stop_line(RoadNetwork& network, const JunctionArm& arm, const RoadSection& section) {
  const Pose end = end_of(arm.axis);
  const cv::Point2d right = forward(end.heading - CV_PI / 2), back = forward(end.heading) * -0.45;
  const double inner = section.median / 2 + 0.15,
               outer = inner + section.lanes * section.lane_width;
  network.drawing.marks.push_back(
      {.outline = {end.at + right * inner, end.at + right * outer, end.at + right * outer + back,
                   end.at + right * inner + back},
       .colour = grey(section.mark),
       .roughness = 0.1});
}

}  // namespace

void lay_junction(RoadNetwork& network, std::span<const JunctionArm> arms,
                  const RoadSection& section) {
  std::vector<size_t> connectors;
  for (const JunctionArm& from : arms)
    for (const JunctionArm& to : arms) {
      if (&from == &to) continue;
      for (const size_t in : from.in)
        for (const size_t out : to.out) {
          const size_t id = connect(network, in, out);
          RoadSegment& connector = network.segments[id];
          // Who leaves a major road to the left gives way like those of minor arms.
          connector.rank = from.is_major && connector.turn != LaneTurn::left ? 1 : 0;
          connectors.push_back(id);
        }
    }
  find_conflicts(network, connectors);
  if (section.sidewalk > 0)
    network.drawing.verges.push_back({.outline = between(arms, outer_edge(section)),
                                      .colour = grey(section.asphalt + 48),
                                      .roughness = 0.1});
  network.drawing.asphalt.push_back({.outline = between(arms, asphalt_edge(section)),
                                     .colour = grey(section.asphalt),
                                     .roughness = 0.12});
  for (const JunctionArm& arm : arms)
    if (!arm.is_major) draw_stop_line(network, arm, section);
}

}  // namespace shingle

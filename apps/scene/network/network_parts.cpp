#include "apps/scene/network/network_parts.hpp"

#include <algorithm>
#include <cmath>

namespace shingle {
namespace {

constexpr double comfortable_sideways = 2.2;  // metres per second squared in a bend
constexpr double slowest_limit = 3.5;         // metres per second
constexpr double room_between_ways = 3.1;     // metres; the widest vehicle has 2.55

LaneTurn turn_between(const Pose& from, const Pose& to) {
  const double angle = std::remainder(to.heading - from.heading, 2 * CV_PI);
  if (std::abs(angle) < CV_PI / 4) return LaneTurn::straight;
  return angle > 0 ? LaneTurn::left : LaneTurn::right;
}

Patch band(const LanePath& path, double right, double left, double level, double roughness) {
  return {.outline = band_along(path, right, left), .colour = grey(level), .roughness = roughness};
}

}  // namespace

double lane_middle(const RoadSection& section, int lane) {
  return section.median / 2 + (lane + 0.5) * section.lane_width;
}

double asphalt_edge(const RoadSection& section) {
  return section.median / 2 + section.lanes * section.lane_width + section.parking +
         section.shoulder;
}

double outer_edge(const RoadSection& section) { return asphalt_edge(section) + section.sidewalk; }

size_t add_segment(RoadNetwork& network, LanePath path, double limit) {
  const double bend = std::sqrt(comfortable_sideways * least_radius(path));
  network.segments.push_back(
      {.path = std::move(path), .limit = std::clamp(bend, slowest_limit, limit)});
  return network.segments.size() - 1;
}

void join(RoadNetwork& network, size_t from, size_t to) {
  network.segments[from].next.push_back(to);
  network.segments[to].previous.push_back(from);
}

size_t connect(RoadNetwork& network, size_t from, size_t to) {
  const Pose begin = end_of(network.segments[from].path);
  const Pose end = begin_of(network.segments[to].path);
  const double limit = std::min(network.segments[from].limit, network.segments[to].limit);
  const size_t id = add_segment(network, path_between(begin, end), limit);
  network.segments[id].turn = turn_between(begin, end);
  network.segments[id].is_connector = true;
  join(network, from, id);
  join(network, id, to);
  return id;
}

void find_conflicts(RoadNetwork& network, std::span<const size_t> connectors) {
  for (const size_t a : connectors)
    for (const size_t b : connectors) {
      RoadSegment& one = network.segments[a];
      const RoadSegment& other = network.segments[b];
      if (a == b || one.previous == other.previous) continue;
      if (least_distance(one.path, other.path) < room_between_ways) one.conflicts.push_back(b);
    }
}

RoadLanes lay_lanes(RoadNetwork& network, const LanePath& axis, const RoadSection& section,
                    const RoadEnds& ends) {
  RoadLanes lanes;
  for (int lane = 0; lane < section.lanes; ++lane) {
    const double d = lane_middle(section, lane);
    lanes.there.push_back(add_segment(network, beside(axis, -d), section.limit));
    lanes.back.push_back(add_segment(network, reversed(beside(axis, d)), section.limit));
    if (ends.begin_is_open)
      network.segments[lanes.there.back()].arrivals_per_second = ends.arrivals_per_second;
    if (ends.end_is_open)
      network.segments[lanes.back.back()].arrivals_per_second = ends.arrivals_per_second;
  }
  return lanes;
}

void draw_dashes(RoadNetwork& network, const LanePath& path, double dash, double gap, double mark) {
  for (double s = gap / 2; s + dash < length_of(path); s += dash + gap)
    network.drawing.marks.push_back(band(part_of(path, s, s + dash), -0.07, 0.07, mark, 0.1));
}

void draw_line(RoadNetwork& network, const LanePath& path, double width, double mark) {
  network.drawing.marks.push_back(band(path, -width / 2, width / 2, mark, 0.1));
}

void draw_road(RoadNetwork& network, const LanePath& axis, const RoadSection& section) {
  const double edge = asphalt_edge(section), outer = outer_edge(section);
  if (section.sidewalk > 0)
    network.drawing.verges.push_back(band(axis, -outer, outer, section.asphalt + 48, 0.1));
  network.drawing.asphalt.push_back(band(axis, -edge, edge, section.asphalt, 0.12));
  for (const double side : {-1.0, 1.0}) {
    const double lanes_end = section.median / 2 + section.lanes * section.lane_width;
    draw_line(network, beside(axis, side * lanes_end), 0.13, section.mark);
    for (int lane = 1; lane < section.lanes; ++lane)
      draw_dashes(network,
                  beside(axis, side * (lane_middle(section, lane) - section.lane_width / 2)), 4, 8,
                  section.mark);
    for (int lane = 0; lane < section.lanes; ++lane) {  // tyres darken a lane
      const double d = side * lane_middle(section, lane);
      for (const double wheel : {-0.8, 0.8})
        network.drawing.asphalt.push_back(
            band(axis, d + wheel - 0.3, d + wheel + 0.3, section.asphalt * 0.95, 0.12));
    }
    if (section.median > 0)
      draw_line(network, beside(axis, side * (section.median / 2 + 0.3)), 0.13, section.mark);
  }
  if (section.median > 0) {
    const double half = section.median / 2;
    network.drawing.islands.push_back(
        {.outline = band_along(axis, -half, half), .colour = {62, 100, 82}, .roughness = 0.3});
  } else {
    draw_dashes(network, axis, 3, 5, section.mark);
  }
}

GateLine gate_across(const std::string& name, const LanePath& axis, double s, double half_width) {
  const Pose at = pose_on(axis, s);
  const cv::Point2d left = forward(at.heading + CV_PI / 2) * half_width;
  return {.name = name, .begin = at.at - left, .end = at.at + left};
}

}  // namespace shingle

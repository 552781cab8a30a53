// What networks of all kinds are put together from.
#pragma once

#include <span>

#include "apps/scene/network/road_network.hpp"

namespace shingle {

// A road's cross section, both ways alike; metres.
struct RoadSection {
  int lanes = 1;
  double lane_width = 3.3, median = 0.0, parking = 0.0, shoulder = 0.4, sidewalk = 0.0;
  double asphalt = 105.0, mark = 215.0;  // grey levels
  double limit = 13.9;                   // metres per second
};
double lane_middle(const RoadSection& section, int lane);  // from the axis
double asphalt_edge(const RoadSection& section);
double outer_edge(const RoadSection& section);  // with the sidewalk

size_t add_segment(RoadNetwork& network, LanePath path, double limit);
void join(RoadNetwork& network, size_t from, size_t to);

// A curve from the end of one segment to the begin of another; as fast as its bend allows.
size_t connect(RoadNetwork& network, size_t from, size_t to);

// Whatever of these connectors comes closer to another than vehicles are wide is in conflict with
// it, unless both begin in one lane.
void find_conflicts(RoadNetwork& network, std::span<const size_t> connectors);

// One lane of each direction, from the axis' begin to its end and back. `begins`/`ends`: this end
// is where the network ends, so vehicles arrive and leave there.
struct RoadEnds {
  bool begin_is_open = false, end_is_open = false;
  double arrivals_per_second = 0.1;
};
struct RoadLanes {
  std::vector<size_t> there{}, back{};  // from the middle outwards
};
RoadLanes lay_lanes(RoadNetwork& network, const LanePath& axis, const RoadSection& section,
                    const RoadEnds& ends);

// Asphalt, sidewalks, edge lines, dashes between lanes.
void draw_road(RoadNetwork& network, const LanePath& axis, const RoadSection& section);
void draw_dashes(RoadNetwork& network, const LanePath& path, double dash, double gap, double mark);
void draw_line(RoadNetwork& network, const LanePath& path, double width, double mark);

// A gate across the axis at `s`, from its right edge to its left one if `inwards` is along the
// axis, so that who drives along the axis goes forward.
GateLine gate_across(const std::string& name, const LanePath& axis, double s, double half_width);

RoadNetwork make_local(const NetworkOptions& options);
RoadNetwork make_rural(const NetworkOptions& options);
RoadNetwork make_highway(const NetworkOptions& options);
RoadNetwork make_roundabout(const NetworkOptions& options);

}  // namespace shingle

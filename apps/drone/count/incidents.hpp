// What one vehicle does that it should not: it drives against its lane, stands, drives too fast.
#pragma once

#include <span>
#include <string>

#include "apps/drone/count/path.hpp"

namespace shingle::drone {

enum class IncidentKind : uint8_t { wrong_way, stopped, overspeed };

struct Incident {
  IncidentKind kind = IncidentKind::wrong_way;
  int64_t track = 0;
  int class_id = -1;
  std::string place{};  // the lane's or zone's name; empty: stopped outside all of them
  double begin_seconds = 0.0, end_seconds = 0.0;
  std::optional<double> greatest_kmh{};  // overspeed only
};

// An incident is a time without a break, from the first to the last sighting:
//   wrong way   in a lane, moving at more than 120 degrees to its direction, incident_seconds long
//   stopped     slower than 0.5 m/s (or a tenth of its length a second), stopped_seconds long
//   overspeed   in a lane or zone with a limit, faster than it, incident_seconds long
// A sighting whose velocity or speed is not known neither breaks nor begins it. By begin, track,
// kind and place.
std::vector<Incident> incidents_of(std::span<const Path> paths, const Site& site);

}  // namespace shingle::drone

// Who stays in a zone, and for how long (dwell time).
#pragma once

#include <span>

#include "apps/drone/count/path.hpp"

namespace shingle::drone {

// A visit needs hold_frames sightings in succession inside; fewer than that in succession outside
// do not end it. Entry and exit are where the path meets the zone's border.
struct Visit {
  size_t zone = 0;  // index in Site::zones
  int64_t track = 0;
  int class_id = -1;
  double entry_seconds = 0.0, exit_seconds = 0.0;
  // False: the track begins, or ends, inside. The dwell time is then a lower bound.
  bool saw_entry = false, saw_exit = false;
  size_t first_point = 0, last_point = 0;  // of the path, inside the zone
  double dwell_seconds() const { return exit_seconds - entry_seconds; }
};

std::vector<Visit> visits_of(const Path& path, size_t zone_index, const Zone& zone,
                             const CountLimits& limits);

// All visits of a site, by zone, entry and track.
std::vector<Visit> all_visits(std::span<const Path> paths, const Site& site);

}  // namespace shingle::drone

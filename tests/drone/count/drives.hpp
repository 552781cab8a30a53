// Hand-made tracks for tests of counting: vehicles that drive straight from place to place.
#pragma once

#include <cmath>
#include <vector>

#include "apps/drone/count/counts.hpp"

namespace shingle::drone {

inline constexpr double test_frames_per_second = 25.0;

struct Leg {
  PlanePoint from{}, to{};
  double begin_seconds = 0.0, end_seconds = 0.0;
};

// One vehicle on its way, in each frame from the leg's begin to its end. Its box is 40 x 16.
inline std::vector<Sighting> drive(int64_t track, const Leg& leg, int class_id = 2) {
  std::vector<Sighting> sightings;
  const auto first = static_cast<uint32_t>(std::lround(leg.begin_seconds * 25.0));
  const auto last = static_cast<uint32_t>(std::lround(leg.end_seconds * 25.0));
  for (uint32_t frame = first; frame <= last; ++frame) {
    const double share =
        last == first ? 0.0
                      : static_cast<double>(frame - first) / static_cast<double>(last - first);
    const PlanePoint at = leg.from + share * (leg.to - leg.from);
    sightings.push_back({.frame = frame + 1,
                         .seconds = frame / test_frames_per_second,
                         .track = track,
                         .class_id = class_id,
                         .score = 0.9,
                         .box = {at.x - 20.0, at.y - 8.0, 40.0, 16.0},
                         .key = at});
  }
  return sightings;
}

inline void append(std::vector<Sighting>& all, const std::vector<Sighting>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// A vertical line x = 100, from y = 0 to y = 200. Who drives to the left passes it forward: seen
// from above with y down, somebody at its begin looks down the picture and has x < 100 on the
// right.
inline CountLine gate_line(const std::string& name = "gate", double x = 100.0) {
  return {.name = name, .segment = {{x, 0.0}, {x, 200.0}}};
}

inline Counts counted(const Site& site, const std::vector<Sighting>& sightings) {
  auto counts = count_site(site, sightings);
  REQUIRE_MESSAGE(counts.ok(), (counts ? std::string() : counts.error()));
  return *counts;
}

inline std::vector<PlanePoint> rectangle(PlanePoint corner, PlanePoint opposite) {
  return {corner, {opposite.x, corner.y}, opposite, {corner.x, opposite.y}};
}

}  // namespace shingle::drone

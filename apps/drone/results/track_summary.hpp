// tracks.csv: a line for each track that has ended.
//
//   track,class,frames,first_frame,last_frame,first_seconds,last_seconds,mean_score,distance_m,
//   mean_speed_mps,greatest_speed_mps
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/drone/count/sighting.hpp"

namespace shingle::drone {

class TrackSummary {
 public:
  explicit TrackSummary(const Sighting& first) : first_(first), last_(first) { add(first); }

  // REQUIRES: a sighting of the same track, not before the last one.
  void add(const Sighting& sighting);

  int64_t track() const { return first_.track; }
  uint32_t last_frame() const { return last_.frame; }
  double last_seconds() const { return last_.seconds; }
  std::string line() const;  // with its newline

 private:
  Sighting first_, last_;
  uint64_t frames_ = 0, looks_ = 0;
  double score_sum_ = 0.0;
  std::optional<PlanePoint> place_{};  // the last one on the ground, in metres
  std::optional<double> distance_{};   // along the places; empty: fewer than two
  uint64_t speeds_ = 0;
  double speed_sum_ = 0.0;
  double greatest_speed_ = 0.0;
};

std::string tracks_header();

}  // namespace shingle::drone

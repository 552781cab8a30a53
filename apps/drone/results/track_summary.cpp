#include "apps/drone/results/track_summary.hpp"

#include <algorithm>
#include <cassert>

#include "apps/drone/results/csv_line.hpp"

namespace shingle::drone {

void TrackSummary::add(const Sighting& sighting) {
  assert(sighting.track == first_.track && sighting.frame >= last_.frame);
  last_ = sighting;
  ++frames_;
  score_sum_ += sighting.score;
  looks_ += sighting.is_predicted() ? 0 : 1;
  const GroundReading& ground = sighting.ground;
  if (ground.x_metres.value && ground.y_metres.value) {
    const PlanePoint here{*ground.x_metres.value, *ground.y_metres.value};
    if (place_) distance_ = distance_.value_or(0.0) + length_of(here - *place_);
    place_ = here;
  }
  if (ground.speed_mps.value) {
    ++speeds_;
    speed_sum_ += *ground.speed_mps.value;
    greatest_speed_ = std::max(greatest_speed_, *ground.speed_mps.value);
  }
}

std::string TrackSummary::line() const {
  std::optional<double> mean_speed, greatest_speed;
  if (speeds_ > 0) {
    mean_speed = speed_sum_ / static_cast<double>(speeds_);
    greatest_speed = greatest_speed_;
  }
  return csv_line({std::to_string(first_.track),
                   last_.class_id < 0 ? std::string() : std::to_string(last_.class_id),
                   std::to_string(frames_), std::to_string(first_.frame),
                   std::to_string(last_.frame), csv_text(first_.seconds, 6),
                   csv_text(last_.seconds, 6),
                   csv_text(score_sum_ / static_cast<double>(std::max<uint64_t>(looks_, 1)), 4),
                   csv_text(distance_, 3), csv_text(mean_speed, 3), csv_text(greatest_speed, 3)});
}

std::string tracks_header() {
  return "track,class,frames,first_frame,last_frame,first_seconds,last_seconds,mean_score,"
         "distance_m,mean_speed_mps,greatest_speed_mps\n";
}

}  // namespace shingle::drone

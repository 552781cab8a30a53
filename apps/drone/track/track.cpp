#include "apps/drone/track/track.hpp"

#include <algorithm>

namespace shingle::drone {

Track::Track(int64_t id, const DetectedBox& first, Moment now, bool is_confirmed)
    : id_(id),
      state_(first_state(first.box)),
      score_(first.score),
      first_frame_(now.frame),
      last_(now),
      is_confirmed_(is_confirmed) {
  count_class(first);
  observations_.add({now.time, first.box}, state_);
}

int Track::class_id() const {
  const auto best =
      std::max_element(votes_.begin(), votes_.end(),
                       [](const Votes& a, const Votes& b) { return a.score < b.score; });
  return best == votes_.end() ? -1 : best->class_id;
}

void Track::predict(double steps) {
  if (status_ != TrackStatus::tracked) state_.mean(7) = 0.0;
  drone::predict(state_, steps);
}

void Track::move(const Homography& motion) {
  if (can_move(motion, box())) drone::move(state_, motion);
  observations_.move(motion);
}

void Track::see(const DetectedBox& detection, Moment now, bool is_recovery) {
  if (is_recovery && status_ != TrackStatus::tracked && !observations_.empty())
    state_ = observations_.state_on_the_way_to({now.time, detection.box});
  else
    correct(state_, detection.box);
  score_ = detection.score;
  last_ = now;
  status_ = TrackStatus::tracked;
  is_confirmed_ = true;
  count_class(detection);
  observations_.add({now.time, detection.box}, state_);
}

void Track::remove(Moment now) {
  status_ = TrackStatus::removed;
  if (removed_in_frame_ == 0) removed_in_frame_ = now.frame;
}

void Track::count_class(const DetectedBox& detection) {
  if (detection.class_id < 0) return;
  for (Votes& votes : votes_)
    if (votes.class_id == detection.class_id) {
      votes.score += detection.score;
      return;
    }
  votes_.push_back({detection.class_id, detection.score});
}

}  // namespace shingle::drone

// One object that is followed: where it is, how sure that is, and what became of it.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/drone/track/box_filter.hpp"
#include "apps/drone/track/camera_motion.hpp"
#include "apps/drone/track/observations.hpp"

namespace shingle::drone {

struct DetectedBox {
  PixelBox box;  // with width and height above 0
  double score = 0.0;
  int class_id = -1;
  friend bool operator==(const DetectedBox&, const DetectedBox&) = default;
};

enum class TrackStatus : uint8_t { tracked, lost, removed };

// When something happens: frames count from 1; time runs in nominal frames and is the same number
// unless frames are not equally far apart.
struct Moment {
  uint64_t frame = 0;
  double time = 0.0;
};

class Track {
 public:
  Track(int64_t id, const DetectedBox& first, Moment now, bool is_confirmed);

  int64_t id() const { return id_; }
  PixelBox box() const { return box_of(state_); }
  double score() const { return score_; }
  int class_id() const;  // the one that has the most score in all detections; -1: none
  TrackStatus status() const { return status_; }
  bool is_confirmed() const { return is_confirmed_; }
  uint64_t age() const { return last_.frame - first_frame_; }  // in frames, while it was seen
  double unseen_since() const { return last_.time; }
  bool was_seen_once() const { return age() == 0; }
  // Of its middle, in pixels a nominal frame.
  Eigen::Vector2d velocity() const { return state_.mean.segment<2>(4); }
  const Observations& observations() const { return observations_; }

  // Where it should be `steps` nominal frames later. A lost track keeps its height.
  void predict(double steps);
  void move(const Homography& motion);
  void see(const DetectedBox& detection, Moment now, bool is_recovery);
  void lose() { status_ = TrackStatus::lost; }
  void remove(Moment now);
  bool was_removed_before(Moment now) const {
    return removed_in_frame_ != 0 && removed_in_frame_ < now.frame;
  }

 private:
  void count_class(const DetectedBox& detection);
  struct Votes {
    int class_id = -1;
    double score = 0.0;
  };

  int64_t id_;
  BoxState state_;
  double score_;
  uint64_t first_frame_;
  Moment last_;
  TrackStatus status_ = TrackStatus::tracked;
  bool is_confirmed_;
  uint64_t removed_in_frame_ = 0;  // 0: never
  std::vector<Votes> votes_{};
  Observations observations_{};
};

}  // namespace shingle::drone

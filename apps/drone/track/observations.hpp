// What OC-SORT remembers of a track: the boxes that were really seen. Where the filter has only
// guessed for a while, they say more than its state.
// Source: Cao et al. 2023, "Observation-Centric SORT" (arXiv:2203.14360), section 4.
#pragma once

#include <vector>

#include "apps/drone/track/camera_motion.hpp"

namespace shingle::drone {

struct Observation {
  double time = 0.0;  // in nominal frames
  PixelBox box;
};

class Observations {
 public:
  // REQUIRES: after all others.
  void add(const Observation& observation, const BoxState& corrected);
  void move(const Homography& motion);  // those that it cannot move are forgotten

  bool empty() const { return seen_.empty(); }
  const Observation& last() const { return seen_.back(); }

  // How well a step to `box` at `time` goes on in the track's direction: 1/2 straight on, 0 at a
  // right angle, -1/2 back. 0 where the track has no direction yet. Paper: the momentum, OCM.
  double agreement(const PixelBox& box, double time) const;

  // The state that the filter would have if the track had gone evenly from the last observation to
  // `now`, and had been seen all the way: once a nominal frame. Paper: the re-update, ORU.
  BoxState state_on_the_way_to(const Observation& now) const;

 private:
  const Observation& some_frames_before(double time) const;

  std::vector<Observation> seen_{};               // the last few
  BoxState corrected_;                            // at the last of them
  double direction_x_ = 0.0, direction_y_ = 0.0;  // of length 1; 0, 0: unknown
};

}  // namespace shingle::drone

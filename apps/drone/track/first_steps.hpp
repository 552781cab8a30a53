// Where a vehicle that was seen once is seen next, when looks are so far apart that its boxes do
// not meet: a car of 4.5 m that drives 28 m/s is 5.6 m farther after 0.2 s. Nothing is known of its
// speed yet, but
//   - it is near: boxes that are both made larger by the same share still meet (Yang et al. 2023,
//     "Hard to Track Objects with Irregular Motions and Similar Appearances? Make It Easier by
//     Buffering the Matching Space", arXiv:2211.14317), and
//   - it moves as its neighbours do, above all as those ahead and behind, which drive in its lane.
// A pair costs 1 - the overlap under the better of both guesses. That may be cheap for several
// pairs; which of them go together is the assignment's to decide, for all vehicles at once.
#pragma once

#include <Eigen/Core>
#include <span>

#include "apps/drone/track/association.hpp"

namespace shingle::drone {

// A vehicle that is known to have moved: its box now, and the pixels from the frame before.
struct KnownStep {
  PixelBox box;
  Eigen::Vector2d pixels = Eigen::Vector2d::Zero();
};

// Rows: tracks that were seen once; columns: detections. 1 where neither guess makes them meet.
Matrix costs_of_first_steps(Tracks tracks, Detections detections, std::span<const KnownStep> known);

}  // namespace shingle::drone

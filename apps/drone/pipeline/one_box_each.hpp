// One box for each vehicle, where a detector is not sure of its class.
//
//   truck 0.45  +----------+
//   bus   0.30  |          |   --->   truck 0.75
//   van   0.20  +----------+          (van overlaps too little: it stays)
//
// Scores of classes are probabilities that this class stands here. A vehicle has one class, so the
// probability that any vehicle stands here is their sum. Trackers need that one: a truck that may
// as well be a bus is no doubtful vehicle.
#pragma once

#include <vector>

#include "apps/drone/track/track.hpp"

namespace shingle::drone {

// Of boxes of different classes that overlap by more than `max_overlap`, the best one stays, with
// the sum of the best score of each class, at most 1. Boxes of one class are left as they are.
// Result: best first; equal scores keep their order.
std::vector<DetectedBox> one_box_each(std::vector<DetectedBox> found, double max_overlap);

}  // namespace shingle::drone

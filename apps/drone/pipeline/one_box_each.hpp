// One box for each vehicle, where a detector is not sure of its class.
//
//   truck 0.45  +----------+
//   bus   0.30  |          |   --->   truck 0.615
//   van   0.20  +----------+          (van overlaps too little: it stays)
//
// Scores of classes are probabilities that this class stands here, and heads judge each class by
// itself. So the probability that any vehicle stands here is 1 - (1 - 0.45) * (1 - 0.30). Trackers
// need that one: a truck that may as well be a bus is no doubtful vehicle.
#pragma once

#include <vector>

#include "apps/drone/track/track.hpp"

namespace shingle::drone {

// Of boxes of different classes that overlap by more than `max_overlap`, the best one stays, with
// the probability that any of the classes is right, each by its best score. Boxes of one class are
// left as they are. Result: best first; equal scores keep their order.
std::vector<DetectedBox> one_box_each(std::vector<DetectedBox> found, double max_overlap);

}  // namespace shingle::drone

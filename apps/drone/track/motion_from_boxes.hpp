// The camera's motion by boxes alone, where there are no pictures: most vehicles are where they
// were expected, but for one motion that is common to all of them.
#pragma once

#include <optional>
#include <span>

#include "apps/drone/track/camera_motion.hpp"

namespace shingle::drone {

// The similarity (shift, turn, scale) that brings most of the expected boxes onto boxes of their
// size. None: fewer than four boxes, or less than half of them, agree on one.
//   1. Each pair of an expected and a seen box of about its size votes for its shift. The shift
//   with
//      the most votes wins; of equal ones the shortest.
//   2. Boxes that lie within half a box of each other after it are paired, and the similarity is
//      fitted to them; three times.
std::optional<Homography> motion_from_boxes(std::span<const PixelBox> expected,
                                            std::span<const PixelBox> seen);

}  // namespace shingle::drone

// Where a vehicle was, and how it moved, at any time of its smoothed path.
#pragma once

#include <optional>
#include <span>

#include "apps/drone/ground/motion.hpp"

namespace shingle::drone {

// Values and half-widths are linear between two moments; the heading turns the shorter way. What
// only one of the two knows is that one's, if it is the nearer one. Empty: before the first moment
// or after the last. `path`: as ground_motion() gives it, times grow.
std::optional<GroundMotion> motion_at(std::span<const GroundMotion> path, double seconds);

}  // namespace shingle::drone

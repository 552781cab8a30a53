// The place and motion of a vehicle at any time of its smoothed track.
#pragma once

#include <optional>
#include <span>

#include "apps/drone/ground/motion.hpp"

namespace shingle::drone {

// Interpolates values and half-widths linearly between two moments; the heading turns the shorter
// way. If only one of the two moments has a value, it is used when that moment is the nearer one.
// Empty: `seconds` is before the first moment or after the last. `track`: as ground_motion() gives
// it; times grow.
std::optional<GroundMotion> motion_at(std::span<const GroundMotion> track, double seconds);

}  // namespace shingle::drone

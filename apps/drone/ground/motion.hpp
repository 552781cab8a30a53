// How a vehicle moves on the ground, each quantity with its 95 % interval.
//
// How much a vehicle's boxes jitter and wander, and how briskly it turns and brakes, is not known
// beforehand. A track is smoothed under a grid of these; each answer counts by how likely it makes
// the track (Bayesian model averaging), and the variance between answers is part of the interval.
// Decisions 75 and 85 say why.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "apps/drone/ground/estimate.hpp"
#include "apps/drone/ground/gaussian_speed.hpp"
#include "apps/drone/ground/systematic_errors.hpp"

namespace shingle::drone {

// Metres, seconds, radians. What is not known is empty, never 0.
struct GroundMotion {
  double seconds = 0.0;
  Estimate east{}, north{};
  std::optional<Estimate> speed{};  // at least 0; empty: fewer than fewest_for_speed observations
  std::optional<Estimate> acceleration{};  // along the heading; negative when it brakes; as speed
  // Clockwise from north, [0, 2 pi); also empty when the vehicle may stand.
  std::optional<Estimate> heading{};
};

inline constexpr size_t fewest_for_speed = 5;

// The errors that smoothing cannot remove, at a place and velocity. Without it there are none.
using SystematicAt = std::function<SystematicCovariance(
    size_t observation, const Eigen::Vector2d& position, const Eigen::Vector2d& velocity)>;

// Errors: times that do not grow, or a position that is no number. An empty track gives no motion.
Result<std::vector<GroundMotion>> ground_motion(std::span<const GroundObservation> track,
                                                const SystematicAt& systematic = {});

// The same of the last observation alone, which nothing later corrects, in a fraction of the time.
// Errors: those of ground_motion(), and an empty track.
Result<GroundMotion> latest_ground_motion(std::span<const GroundObservation> track,
                                          const SystematicAt& systematic = {});

}  // namespace shingle::drone

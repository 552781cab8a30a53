// Speeds as geo-trax and many traffic datasets have them: steps between neighbouring frames,
// smoothed by a Gaussian. Its noise is known, its delay is none, and it needs no model; but jitter
// makes every step longer, and the ends of a track lean on reflected steps. RTS smoothing
// (motion.hpp) has neither fault; this one compares with others' figures.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

namespace shingle::drone {

struct GroundObservation {
  double seconds = 0.0;                                // stream time
  Eigen::Vector2d position = Eigen::Vector2d::Zero();  // local metres
};

// The weights reach 3 sigmas of `sigma_frames` values; beyond an end the values are reflected
// (d c b a | a b c d | d c b a, as SciPy's gaussian_filter1d does). REQUIRES: a sigma above 0.
std::vector<double> gaussian_smoothed(std::span<const double> values, double sigma_frames);

// One value for each observation, in m/s; the first has that of the second. Empty: fewer than two
// observations, or times that do not grow.
std::vector<std::optional<double>> gaussian_speeds(std::span<const GroundObservation> track,
                                                   double sigma_frames);

}  // namespace shingle::drone

#include "apps/drone/ground/gaussian_speed.hpp"

#include <cassert>
#include <cmath>
#include <cstddef>

namespace shingle::drone {
namespace {

// Where an index beyond an end comes to lie when the row is mirrored at its ends again and again.
size_t reflected(std::ptrdiff_t index, size_t count) {
  const auto period = static_cast<std::ptrdiff_t>(2 * count);
  const std::ptrdiff_t within = ((index % period) + period) % period;
  const auto place = static_cast<size_t>(within);
  return place < count ? place : 2 * count - 1 - place;
}

}  // namespace

std::vector<double> gaussian_smoothed(std::span<const double> values, double sigma) {
  assert(sigma > 0.0);
  const auto reach = static_cast<std::ptrdiff_t>(3.0 * sigma + 0.5);
  std::vector<double> weights;
  double total = 0.0;
  for (std::ptrdiff_t k = -reach; k <= reach; ++k) {
    weights.push_back(std::exp(-0.5 * std::pow(static_cast<double>(k) / sigma, 2)));
    total += weights.back();
  }
  std::vector<double> out;
  for (size_t i = 0; i < values.size(); ++i) {
    double sum = 0.0;
    for (size_t k = 0; k < weights.size(); ++k)
      sum +=
          weights[k] * values[reflected(static_cast<std::ptrdiff_t>(i + k) - reach, values.size())];
    out.push_back(sum / total);
  }
  return out;
}

std::vector<std::optional<double>> gaussian_speeds(std::span<const GroundObservation> track,
                                                   double sigma_frames) {
  assert(sigma_frames > 0.0);
  std::vector<std::optional<double>> speeds(track.size());
  std::vector<double> steps;
  for (size_t i = 1; i < track.size(); ++i) {
    const double seconds = track[i].seconds - track[i - 1].seconds;
    if (!(seconds > 0.0)) return speeds;
    steps.push_back((track[i].position - track[i - 1].position).norm() / seconds);
  }
  if (steps.empty()) return speeds;
  const auto smooth = gaussian_smoothed(steps, sigma_frames);
  for (size_t i = 0; i < track.size(); ++i) speeds[i] = smooth[i == 0 ? 0 : i - 1];
  return speeds;
}

}  // namespace shingle::drone

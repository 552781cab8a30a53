#include "apps/scene/driver_model.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle {
namespace {

constexpr double acceleration = 1.2, braking = 2.0, headway_seconds = 1.1;

}  // namespace

double chosen_acceleration(double speed, double desired, const FollowedVehicle& leader) {
  assert(desired > 0.0);
  const double wanted_gap =
      standstill_gap +
      std::max(0.0, speed * headway_seconds +
                        speed * (speed - leader.speed) / (2 * std::sqrt(acceleration * braking)));
  const double free_road = std::pow(speed / desired, 4);
  return acceleration * (1 - free_road - std::pow(wanted_gap / std::max(leader.gap, 0.5), 2));
}

}  // namespace shingle

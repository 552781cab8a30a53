// EnergyMeter: the integral of a power that is constant between two changes. The sum is exact but
// for the rounding of a double.
#pragma once

#include "partition/base/time.hpp"

namespace shingle::sim {

class EnergyMeter {
 public:
  double watts() const { return watts_; }
  double joules() const { return joules_; }
  void set_watts(double watts) { watts_ = watts; }
  void pass(Duration time) { joules_ += watts_ * (1e-9 * in_nanoseconds(time)); }
  void add(double joules) { joules_ += joules; }

 private:
  double watts_ = 0.0, joules_ = 0.0;
};

}  // namespace shingle::sim

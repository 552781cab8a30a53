// HeatModel: a chip's temperature from the watts of its board, as one resistor and one capacitor:
//
//   C dT/dt = P - (T - ambient) / R      T(t) = T_end + (T_0 - T_end) exp(-t / (R C)),
//                                        T_end = ambient + R P
//
// P is constant between two changes, so both the temperature and the moment at which it reaches a
// level are exact. No libm: the same bits on every machine.
#pragma once

#include <optional>

#include "partition/base/time.hpp"

namespace shingle::sim {

struct HeatOptions {
  double ambient_celsius = 25.0;
  double kelvin_per_watt = 0.0;    // R; 0: it stays at the ambient temperature
  double joules_per_kelvin = 1.0;  // C
};

class HeatModel {
 public:
  HeatModel(const HeatOptions& options, double celsius) : options_(options), celsius_(celsius) {}

  double celsius() const { return celsius_; }
  double end_celsius(double watts) const {
    return options_.ambient_celsius + options_.kelvin_per_watt * watts;
  }
  void pass(Duration time, double watts);
  // None if it does not reach `celsius` with these watts, or not within 30 years.
  std::optional<Duration> time_until(double celsius, double watts) const;

 private:
  double time_constant_ns() const {
    return 1e9 * options_.kelvin_per_watt * options_.joules_per_kelvin;
  }

  HeatOptions options_;
  double celsius_;
};

}  // namespace shingle::sim

// ArrivalSequence: when a source has its frames. All that it draws depends on the seed and on the
// source alone, so designs that are compared under one seed get the same frames.
#pragma once

#include "devices/files/experiment_file.hpp"
#include "sim/random.hpp"

namespace shingle::sim {

class ArrivalSequence {
 public:
  // The first frame comes at or after `start`.
  ArrivalSequence(const Arrivals& arrivals, uint64_t seed, Time start);

  Time next() const { return next_; }  // Time::max(): none any more, or back to back
  void take();                         // goes on to the one after it

 private:
  const Arrivals arrivals_;
  const Time start_;
  Random dice_;
  uint64_t taken_ = 0;
  double phase_ = 0.0;  // periodic: of the first frame, in periods
  Time next_ = Time::max();
};

// The natural logarithm by additions and multiplications only, the same on every machine.
double portable_log(double value);  // REQUIRES: value > 0

}  // namespace shingle::sim

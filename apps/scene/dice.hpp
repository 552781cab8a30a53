// SceneDice: what a scene draws from its seed. The same seed gives the same scene on every machine.
#pragma once

#include <cassert>
#include <vector>

#include "sim/random.hpp"

namespace shingle {

class SceneDice {
 public:
  explicit SceneDice(uint64_t seed) : random_(sim::mix(seed)) {}

  double within(double low, double high) { return low + (high - low) * random_.uniform(); }
  int between(int low, int high) { return random_.between(low, high); }  // both inclusive
  bool chance(double probability) { return random_.chance(probability); }
  uint64_t seed() { return random_.next(); }  // for dice of its own

  // Mean 0, variance 1: the sum of twelve uniforms, without the tails that nobody wants to see.
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += random_.uniform();
    return sum;
  }

  template <class Value>
  const Value& pick(const std::vector<Value>& values) {
    assert(!values.empty());
    return values[static_cast<size_t>(between(0, static_cast<int>(values.size()) - 1))];
  }

 private:
  sim::Random random_;
};

}  // namespace shingle

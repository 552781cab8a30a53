// Random numbers and hashes of the simulation, the same on every machine.
#pragma once

#include "partition/base/dice.hpp"

namespace shingle::sim {

// A hash of one word, or of two in their order.
inline uint64_t mix(uint64_t value) { return splitmix64(value); }
inline uint64_t mix(uint64_t a, uint64_t b) { return mix(mix(a) ^ b); }

// Number n of a seed is mix(seed + n). Seeds that are close to each other therefore share numbers:
// mix() a small seed first where that matters.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() { return mix(state_++); }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)
  int32_t between(int32_t low, int32_t high) {                              // both inclusive
    return low + static_cast<int32_t>(next() % static_cast<uint64_t>(int64_t{high} - low + 1));
  }
  bool chance(double probability) { return uniform() < probability; }

 private:
  uint64_t state_;
};

}  // namespace shingle::sim

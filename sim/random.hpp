// splitmix64 (Steele, Lea, Flood 2014): the standard distributions differ between libraries.
#pragma once

#include <cstdint>

namespace shingle::sim {

inline uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}
inline uint64_t mix(uint64_t a, uint64_t b) { return mix(mix(a) ^ b); }

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

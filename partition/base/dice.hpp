// Dice: the pseudo-random numbers of the search (splitmix64), the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace shingle {

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  size_t below(size_t count) { return static_cast<size_t>(next() % count); }  // REQUIRES: count > 0
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }       // in [0, 1)

 private:
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
  }
  uint64_t state_;
};

}  // namespace shingle

// Random numbers that are the same on every machine. (The standard distributions differ between
// libraries.)
#pragma once

#include <cstddef>
#include <cstdint>

namespace shingle {

// The output function of splitmix64 (Steele, Lea, Flood 2014): each bit of the result depends on
// all bits of `value`, and different values give different results. 0 gives 0.
constexpr uint64_t mixed_bits(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

// The next number of the generator, whose state is one word. Every seed is a good one.
constexpr uint64_t splitmix64(uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  return mixed_bits(state);
}

// Dice: the numbers that the search draws.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  size_t below(size_t count) {  // REQUIRES: count > 0
    return static_cast<size_t>(splitmix64(state_) % count);
  }
  double unit() { return static_cast<double>(splitmix64(state_) >> 11) * 0x1p-53; }  // in [0, 1)

 private:
  uint64_t state_;
};

}  // namespace shingle

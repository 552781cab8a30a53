// LaneSum: the sum of a line of floats in double. Element i goes into sum i mod 8; then the eight
// are added. The order is the same for every instruction set, and eight sums fill the widest
// vector.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace shingle {

class LaneSum {
 public:
  static constexpr int32_t lanes = 8;

  // REQUIRES: every call but the last one adds a multiple of the lanes.
  [[gnu::always_inline]] inline void add(const float* values, int64_t count) {
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      for (size_t lane = 0; lane < lanes; ++lane)
        sums_[lane] += static_cast<double>(values[i + static_cast<int64_t>(lane)]);
    }
    for (size_t lane = 0; i < count; ++i, ++lane) sums_[lane] += static_cast<double>(values[i]);
  }

  [[gnu::always_inline]] inline double total() const {
    return ((sums_[0] + sums_[4]) + (sums_[2] + sums_[6])) +
           ((sums_[1] + sums_[5]) + (sums_[3] + sums_[7]));
  }

 private:
  std::array<double, lanes> sums_{};
};

}  // namespace shingle

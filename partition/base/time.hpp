// Time and Duration: virtual or real time in integer nanoseconds. NodeClock has no now(), so that
// no code in the core can read a clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace shingle {

struct NodeClock {
  using rep = int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<NodeClock, duration>;
  static constexpr bool is_steady = true;
};
using Time = NodeClock::time_point;
using Duration = NodeClock::duration;

// For costs and ratios, which are computed in floating point.
inline double in_nanoseconds(Duration duration) { return static_cast<double>(duration.count()); }

}  // namespace shingle

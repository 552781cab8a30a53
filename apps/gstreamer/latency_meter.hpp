// LatencyMeter: how long a frame takes from its arrival to its departure, as a pipeline is told.
//
// What is told never falls, and rises in steps: each rise makes a live pipeline delay all its sinks
// anew. A single slow frame does not count: it is the second slowest of the last frames that does.
//
// Pure: times come in as arguments. Not for several threads at once.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace shingle::gst {

class LatencyMeter {
 public:
  using Duration = std::chrono::nanoseconds;

  // A frame took so long. True: told() has risen.
  bool add(Duration took);
  Duration told() const { return told_; }

 private:
  Duration measured() const;

  static constexpr size_t kept = 16;
  std::array<Duration, kept> last_{};
  size_t count_ = 0;  // of all frames
  Duration told_{};
};

}  // namespace shingle::gst

#include "apps/gstreamer/latency_meter.hpp"

#include <algorithm>

namespace shingle::gst {

// The only frame so far counts as it is.
LatencyMeter::Duration LatencyMeter::measured() const {
  const size_t there = std::min(count_, kept);
  if (there == 1) return last_[0];
  auto sorted = last_;
  std::ranges::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(there));
  return sorted[there - 2];
}

// By a tenth more than was measured, and by a tenth at least: from a millisecond to a minute there
// are at most 116 rises, and most runs have two or three.
bool LatencyMeter::add(Duration took) {
  last_[count_ % kept] = std::max(took, Duration::zero());
  ++count_;
  const Duration now = measured();
  if (now <= told_) return false;
  told_ = now + now / 10;
  return true;
}

}  // namespace shingle::gst

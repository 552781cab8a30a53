#include "runtime/node_link.hpp"

#include <algorithm>

namespace shingle {

void Link::begin(int64_t window_bytes, int64_t assumed_bytes_per_second) {
  *this = Link{};
  window_bytes_ = window_bytes;
  bytes_per_second_ = assumed_bytes_per_second;
}

void Link::enqueue(Outgoing outgoing) { waiting_.insert({std::move(outgoing), arrivals_++}); }

std::optional<Outgoing> Link::take(Time now) {
  if (waiting_.empty()) return {};
  const int64_t bytes = waiting_.begin()->outgoing.bytes;
  const int64_t in_flight = in_flight_bytes();
  if (in_flight > 0 && in_flight + bytes > window_bytes_) return {};
  if (in_flight == 0) busy_since_ = now, busy_bytes_ = 0;
  sent_bytes_ += static_cast<uint64_t>(bytes);
  largest_bytes_ = std::max(largest_bytes_, bytes);
  return std::move(waiting_.extract(waiting_.begin()).value().outgoing);
}

bool Link::acknowledge(uint64_t taken_in_bytes, Time now) {
  if (taken_in_bytes < taken_in_bytes_ || taken_in_bytes > sent_bytes_) return false;
  measure(static_cast<int64_t>(taken_in_bytes - taken_in_bytes_), now);
  taken_in_bytes_ = taken_in_bytes;
  return true;
}

// A rate is believed only over a quarter of a window, because a peer acknowledges smaller amounts
// when it has something else to say: their time would be its silence, not the link's.
void Link::measure(int64_t acknowledged_bytes, Time now) {
  busy_bytes_ += acknowledged_bytes;
  const int64_t elapsed_ns = (now - busy_since_).count();
  if (busy_bytes_ < window_bytes_ / 4 || elapsed_ns <= 0) return;
  const double sample = static_cast<double>(busy_bytes_) * 1e9 / static_cast<double>(elapsed_ns);
  const double mean = 0.75 * static_cast<double>(bytes_per_second_) + 0.25 * sample;
  bytes_per_second_ = static_cast<int64_t>(std::clamp(mean, 1.0, 1e12));
  busy_since_ = now;
  busy_bytes_ = 0;
}

size_t Link::in_flight_limit_breaches() const {
  return in_flight_bytes() > std::max(window_bytes_, largest_bytes_) ? 1 : 0;
}

}  // namespace shingle

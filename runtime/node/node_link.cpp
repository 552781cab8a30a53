#include "runtime/node/node_link.hpp"

#include <algorithm>

namespace shingle {

namespace {

constexpr int64_t least_port_bytes = 16 * 1024, most_port_bytes = 1024 * 1024;
constexpr int64_t least_measured_bytes = 8 * 1024;
constexpr Duration least_measured_time = std::chrono::milliseconds(4);

}  // namespace

int64_t port_credit_bytes(int64_t bytes_per_second) {
  return std::clamp(bytes_per_second / 250, least_port_bytes, most_port_bytes);
}

void Link::begin(int64_t credit_bytes, int64_t assumed_bytes_per_second) {
  *this = Link{};
  credit_bytes_ = credit_bytes;
  bytes_per_second_ = assumed_bytes_per_second;
}

void Link::enqueue(Outgoing outgoing, uint64_t arrival) {
  waiting_.insert({std::move(outgoing), arrival});
}

bool Link::may_send() const {
  const int64_t in_flight = in_flight_bytes();
  return !waiting_.empty() &&
         (in_flight == 0 || in_flight + waiting_.begin()->outgoing.bytes <= credit_bytes_);
}

std::optional<Outgoing> Link::take(Time now) {
  if (!may_send()) return {};
  const int64_t bytes = waiting_.begin()->outgoing.bytes;
  if (in_flight_bytes() == 0) busy_since_ = now, busy_bytes_ = 0;
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

// A rate is measured over a least number of bytes and a least time. A small piece takes less time
// than its acknowledgement, and acknowledgements that queued behind others come all at once. A
// message that acknowledges nothing new ends no measurement: the link may have been idle since the
// last byte.
void Link::measure(int64_t acknowledged_bytes, Time now) {
  if (acknowledged_bytes == 0) return;
  busy_bytes_ += acknowledged_bytes;
  const Duration elapsed = now - busy_since_;
  if (busy_bytes_ < std::min(credit_bytes_ / 4, least_measured_bytes) ||
      elapsed < least_measured_time)
    return;
  const double sample =
      static_cast<double>(busy_bytes_) * 1e9 / static_cast<double>(elapsed.count());
  const double mean = 0.75 * static_cast<double>(bytes_per_second_) + 0.25 * sample;
  bytes_per_second_ = static_cast<int64_t>(std::clamp(mean, 1.0, 1e12));
  busy_since_ = now;
  busy_bytes_ = 0;
}

size_t Link::in_flight_limit_breaches() const {
  return in_flight_bytes() > std::max(credit_bytes_, largest_bytes_) ? 1 : 0;
}

}  // namespace shingle

#include "partition/network/send_window.hpp"

namespace shingle {
namespace {

// Of ns-3's TcpCubic, and of Linux's.
constexpr int64_t growth_segments = 20;
constexpr int64_t watched_segments = 16;  // HyStart leaves smaller windows alone
constexpr Duration of_one_train = std::chrono::milliseconds(2);
constexpr Duration least_delay = std::chrono::milliseconds(4);  // that ends slow start
constexpr int most_samples = 8;
constexpr Duration longest_timeout = std::chrono::seconds(60);
constexpr int most_doublings = 16;

}  // namespace

void SendWindow::take(const Acknowledgement& acknowledgement) {
  if (acknowledgement.round_trip > Duration{}) measure(acknowledgement.round_trip);
  if (is_ns3_ && window_bytes_ >= watched_segments * segment_bytes_) look_for_end(acknowledgement);
  if (window_bytes_ < threshold_bytes_) {
    if (acknowledgement.up_to > round_.end)
      round_ = {.end = acknowledgement.sent,
                .began = acknowledgement.at,
                .last_in_train = acknowledgement.at,
                .has_ended_slow_start = round_.has_ended_slow_start};
    window_bytes_ += acknowledgement.segments * segment_bytes_;
  } else {
    counted_segments_ += acknowledgement.segments;
    window_bytes_ += counted_segments_ / growth_segments * segment_bytes_;
    counted_segments_ %= growth_segments;
  }
  window_bytes_ = std::min(window_bytes_, most_bytes_);
}

// By the train of acknowledgements, or by the least delay among the round's first ones.
void SendWindow::look_for_end(const Acknowledgement& acknowledgement) {
  if (round_.has_ended_slow_start || window_bytes_ > threshold_bytes_) return;
  bool found = false;
  if (acknowledgement.at - round_.last_in_train <= of_one_train) {
    round_.last_in_train = acknowledgement.at;
    found = acknowledgement.at - round_.began > least_round_trip_;
  }
  if (round_.samples < most_samples) {
    if (round_.samples == 0 || smoothed_ < round_.round_trip) round_.round_trip = smoothed_;
    ++round_.samples;
  } else if (round_.round_trip > least_round_trip_ + std::max(least_delay, least_round_trip_)) {
    found = true;
  }
  if (!found) return;
  round_.has_ended_slow_start = true;
  threshold_bytes_ = window_bytes_;
}

// Smoothed as for timeouts (RFC 6298). ns-3's HyStart looks at that too.
void SendWindow::measure(Duration round_trip) {
  const Duration error = round_trip - smoothed_;
  smoothed_ += error / 8;
  deviation_ += (std::chrono::abs(error) - deviation_) / 4;
  least_round_trip_ = std::min(least_round_trip_, smoothed_);
  timeouts_ = 0;
}

void SendWindow::restart(Duration idle, Duration timeout) {
  for (Duration left = idle; left >= timeout && window_bytes_ > initial_bytes_; left -= timeout)
    window_bytes_ = std::max(window_bytes_ / 2, initial_bytes_);
}

Duration SendWindow::timeout() const {
  if (!is_ns3_) return Duration::max();
  const Duration once = std::max(least_timeout_, smoothed_ + 4 * deviation_);
  return std::min<Duration>(once * (int64_t{1} << std::min(timeouts_, most_doublings)),
                            longest_timeout);
}

void SendWindow::time_out() {
  ++timeouts_;
  const int64_t kept = window_bytes_ / segment_bytes_ * 7 / 10;  // CUBIC's beta (RFC 8312, 4.5)
  threshold_bytes_ = std::max<int64_t>(kept, 2) * segment_bytes_;
  window_bytes_ = segment_bytes_;
}

}  // namespace shingle

#include "partition/network/tcp.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace shingle {
namespace {

constexpr double cubic_c = 0.4, cubic_beta = 0.7;
// Of ns-3's TcpCubic, and of Linux's.
// Acknowledged segments for one more in the window: at most, before a loss, and at least.
constexpr int64_t growth = 20, fastest_growth = 2;
constexpr double most_segments = 1e9;  // more than any buffer holds
constexpr Duration late_answer =
    std::chrono::milliseconds(40);        // to a segment without a second one
constexpr int64_t watched_segments = 16;  // HyStart leaves smaller windows alone
constexpr Duration of_one_train =
    std::chrono::milliseconds(2);            // acknowledgements so close together
constexpr int64_t acknowledged_at_once = 2;  // segments

// Square roots give the same bits on every machine; pow() does not.
double fourth_root(double value) { return std::sqrt(std::sqrt(value)); }

double seconds(Duration duration) { return 1e-9 * in_nanoseconds(duration); }

}  // namespace

double tcp_rate_limit(const TcpOptions& options, const TcpPath& path) {
  assert(path.loss >= 0.0 && path.loss <= 1.0);
  const double round_trip = seconds(path.round_trip);
  if (round_trip <= 0.0) return std::numeric_limits<double>::infinity();
  double window_bytes = static_cast<double>(options.buffer_bytes);
  if (path.loss > 0.0) {
    const double standard = std::sqrt(1.5 / path.loss);
    const double lossless = round_trip / path.loss;
    const double cubic = fourth_root(cubic_c * (3.0 + cubic_beta) / (4.0 * (1.0 - cubic_beta))) *
                         std::sqrt(lossless) * fourth_root(lossless);
    const double segments = std::max({standard, cubic, 1.0});
    window_bytes = std::min(window_bytes, segments * static_cast<double>(options.segment_bytes));
  }
  return window_bytes / round_trip;
}

CongestionWindow::CongestionWindow(const TcpOptions& options, const TcpPath& path, bool calls)
    : slow_start_(options.slow_start),
      awaits_first_(calls),
      segment_bytes_(options.segment_bytes),
      initial_bytes_(options.initial_segments * options.segment_bytes),
      window_bytes_(initial_bytes_) {
  set_path(options, path);
}

void CongestionWindow::set_path(const TcpOptions& options, const TcpPath& path) {
  const double carried = path.bytes_per_second * seconds(path.round_trip);
  buffer_bytes_ = options.buffer_bytes;
  enough_bytes_ = std::min(options.buffer_bytes, static_cast<int64_t>(std::min(carried, 1e15)));
  round_trip_ = path.round_trip;
  // ns-3 awaits the second segment.
  if (slow_start_ == SlowStart::ns3 && path.bytes_per_second > 0.0)
    second_ = Duration(
        static_cast<int64_t>(1e9 * static_cast<double>(segment_bytes_) / path.bytes_per_second));
  round_trip_ += second_;
  timeout_ = std::max(options.least_timeout, 2 * path.round_trip);
}

void CongestionWindow::end_round(int64_t sent, Duration burst, Time last, Time now) {
  if (slow_start_ == SlowStart::ns3) {
    grow_as_ns3(sent, burst, last + round_trip_);
    if (now - last >= late_answer) counted_segments_ += std::exchange(unanswered_segments_, 0);
  } else if (sent >= window_bytes_) {
    window_bytes_ *= 2;
  }
}

void CongestionWindow::grow_as_ns3(int64_t sent, Duration burst, Time acknowledged) {
  const int64_t before = window_bytes_;
  const bool in_slow_start = before < threshold_bytes_;
  // The first segment counts as the second one of a pair.
  const int64_t before_first = std::exchange(awaits_first_, false) ? 1 : 0;
  const int64_t received =
      unanswered_segments_ + (sent + segment_bytes_ - 1) / segment_bytes_ + before_first;
  unanswered_segments_ = received % acknowledged_at_once;
  const int64_t answered = received - unanswered_segments_ - before_first;
  if (in_slow_start)
    window_bytes_ += (answered + std::exchange(counted_segments_, 0)) * segment_bytes_;
  else
    grow_as_cubic(answered, acknowledged);
  if (!in_slow_start || window_bytes_ < watched_segments * segment_bytes_) return;
  const bool one_train = burst * acknowledged_at_once * segment_bytes_ <= of_one_train * sent;
  if (!one_train) return;
  if (burst > round_trip_) {
    const double in_time = seconds(round_trip_) / seconds(burst) * static_cast<double>(sent);
    threshold_bytes_ = window_bytes_ = before + static_cast<int64_t>(in_time);
  } else if (round_trip_ - burst <= of_one_train) {
    threshold_bytes_ = window_bytes_;
  }
}

// W(t) = origin + C t^3 (RFC 8312, 4.1), in whole segments, and no slower than by the clamp.
void CongestionWindow::grow_as_cubic(int64_t segments, Time acknowledged) {
  if (!cubic_began_) {
    cubic_began_ = acknowledged;
    cubic_origin_segments_ = window_bytes_ / segment_bytes_;
  }
  const double passed = seconds(acknowledged + round_trip_ - *cubic_began_);
  const double grown = std::min(cubic_c * passed * passed * passed, most_segments);
  const int64_t target = cubic_origin_segments_ + static_cast<int64_t>(grown);
  for (; segments > 0; segments -= acknowledged_at_once) {
    counted_segments_ += std::min(segments, acknowledged_at_once);
    const int64_t window = window_bytes_ / segment_bytes_;
    const int64_t step =
        target > window ? std::clamp(window / (target - window), fastest_growth, growth) : growth;
    if (counted_segments_ < step) continue;
    counted_segments_ -= step;
    window_bytes_ += segment_bytes_;
  }
}

void CongestionWindow::grow_open(double bytes, Time now) {
  if (slow_start_ != SlowStart::ns3) return;
  open_bytes_ += bytes;
  const auto segment = static_cast<double>(segment_bytes_);
  const auto pairs = static_cast<int64_t>(open_bytes_ / (acknowledged_at_once * segment));
  if (pairs == 0) return;
  int64_t segments = pairs * acknowledged_at_once;
  open_bytes_ -= static_cast<double>(segments) * segment;
  for (; segments > 0 && window_bytes_ < threshold_bytes_; segments -= acknowledged_at_once) {
    if (window_bytes_ >= watched_segments * segment_bytes_)
      threshold_bytes_ = window_bytes_;
    else
      window_bytes_ += acknowledged_at_once * segment_bytes_;
  }
  if (segments > 0) grow_as_cubic(segments, now);
  window_bytes_ = std::min(window_bytes_, buffer_bytes_);
}

double CongestionWindow::standing_bytes(double bytes_per_nanosecond) const {
  if (slow_start_ != SlowStart::ns3 || !is_open()) return 0.0;
  return std::max(
      0.0, static_cast<double>(window_bytes_) - bytes_per_nanosecond * in_nanoseconds(round_trip_));
}

bool CongestionWindow::restart(Duration idle) {
  if (idle < timeout_) return false;
  unanswered_segments_ = 0;
  for (Duration left = idle; left >= timeout_ && window_bytes_ > initial_bytes_; left -= timeout_)
    window_bytes_ = std::max(window_bytes_ / 2, initial_bytes_);
  return true;
}

}  // namespace shingle

#include "apps/client/stream_events.hpp"

#include <utility>

namespace shingle {

void StreamEvents::add(Event event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
  changed_.notify_one();
}

std::optional<StreamEvents::Event> StreamEvents::wait(Time until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, std::chrono::steady_clock::time_point(until.time_since_epoch()),
                      [this] { return !events_.empty(); });
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

bool StreamEvents::empty() const {
  const std::lock_guard lock(mutex_);
  return events_.empty();
}

bool StreamEvents::has_report_next() const {
  const std::lock_guard lock(mutex_);
  return !events_.empty() && std::holds_alternative<Report>(events_.front());
}

}  // namespace shingle

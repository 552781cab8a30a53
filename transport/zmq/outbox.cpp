#include "transport/zmq/outbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace shingle {

namespace {

int64_t bytes_of(const Departure& message) {
  return static_cast<int64_t>(message.header.size() + message.payload.size());
}

}  // namespace

Outbox::Outbox() : wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Outbox::~Outbox() { ::close(wake_); }

// The counter of an eventfd cannot overflow by ones, so the write cannot fail.
void Outbox::signal() {
  const uint64_t one = 1;
  const ssize_t written = ::write(wake_, &one, sizeof one);
  assert(written == sizeof one);
}

bool Outbox::push(Departure message) {
  const std::lock_guard lock(mutex_);
  if (closed_ || waiting_.short_of.contains(message.to)) return false;
  if (!waiting_bytes_.take(message.to, bytes_of(message))) {
    waiting_.short_of.insert(message.to);
    return false;  // the sockets' thread has been woken for what waits
  }
  waiting_.departures.push_back(std::move(message));
  if (waiting_.departures.size() == 1) signal();
  return true;
}

void Outbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  signal();
}

bool Outbox::take(Load& load) {
  load.departures.clear();
  load.short_of.clear();
  const std::lock_guard lock(mutex_);
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t read = ::read(wake_, &count, sizeof count);
  std::swap(waiting_, load);
  assert(waiting_.departures.empty() && waiting_.short_of.empty());
  waiting_bytes_.give_all_back();
  return !closed_ || !load.departures.empty();
}

}  // namespace shingle

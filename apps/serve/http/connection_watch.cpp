#include "apps/serve/http/connection_watch.hpp"

#include <sys/socket.h>

#include <algorithm>

namespace shingle::serve {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

ConnectionWatch::ConnectionWatch(milliseconds limit) : limit_(limit), thread_([this] { run(); }) {}

ConnectionWatch::~ConnectionWatch() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ConnectionWatch::begin(const void* connection, int descriptor) {
  const std::lock_guard lock(mutex_);
  watched_[connection] = {descriptor, steady_clock::now()};
}

void ConnectionWatch::step(const void* connection) {
  const std::lock_guard lock(mutex_);
  const auto found = watched_.find(connection);
  if (found == watched_.end()) return;
  found->second.since = steady_clock::now();
  found->second.is_waited_for = false;
}

void ConnectionWatch::work(const void* connection) {
  const std::lock_guard lock(mutex_);
  const auto found = watched_.find(connection);
  if (found != watched_.end()) found->second.is_waited_for = true;
}

void ConnectionWatch::end(const void* connection) {
  const std::lock_guard lock(mutex_);
  watched_.erase(connection);
}

void ConnectionWatch::run() {
  const milliseconds pause = std::clamp(limit_ / 8, milliseconds(5), milliseconds(500));
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pause, [&] { return ends_; })) {
    const auto now = steady_clock::now();
    for (auto& [connection, each] : watched_)
      if (!each.is_waited_for && now - each.since > limit_)
        ::shutdown(each.descriptor, SHUT_RDWR);  // its thread notices, and ends it
  }
}

}  // namespace shingle::serve

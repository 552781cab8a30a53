#include "apps/system/stop_signals.hpp"

#include <csignal>

namespace shingle {
namespace {

sigset_t stop_set() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t set = stop_set();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool StopSignals::asked(std::chrono::milliseconds wait) {
  if (asked_) return true;
  const sigset_t set = stop_set();
  const timespec time{.tv_sec = wait.count() / 1000, .tv_nsec = wait.count() % 1000 * 1'000'000};
  asked_ = ::sigtimedwait(&set, nullptr, &time) > 0;
  return asked_;
}

}  // namespace shingle

#include "apps/system/stop_signals.hpp"

#include <csignal>

namespace shingle {
namespace {

sigset_t heard(StopSignals::Hangup hangup) {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  if (hangup == StopSignals::Hangup::reloads) ::sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

StopSignals::StopSignals(Hangup hangup) : hangup_(hangup) {
  const sigset_t set = heard(hangup);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool StopSignals::asked(std::chrono::milliseconds wait) {
  if (asked_) return true;
  const sigset_t set = heard(hangup_);
  const timespec time{.tv_sec = wait.count() / 1000, .tv_nsec = wait.count() % 1000 * 1'000'000};
  const int signal = ::sigtimedwait(&set, nullptr, &time);
  asked_ = signal == SIGINT || signal == SIGTERM;
  reload_asked_ = reload_asked_ || signal == SIGHUP;
  return asked_;
}

}  // namespace shingle

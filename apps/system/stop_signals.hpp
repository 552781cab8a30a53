// StopSignals: blocks SIGINT and SIGTERM, and SIGHUP where it means to read settings again; the
// program asks whether one has come. Construct it in main's thread before any other thread starts:
// threads inherit the signal mask.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace shingle {

class StopSignals {
 public:
  enum class Hangup : uint8_t { ends, reloads };  // what SIGHUP does
  explicit StopSignals(Hangup hangup = Hangup::ends);
  // True if SIGINT or SIGTERM has come or comes within `wait`. Stays true afterwards. A SIGHUP that
  // reloads ends the wait.
  bool asked(std::chrono::milliseconds wait = std::chrono::milliseconds(0));
  // Whether asked() has met a SIGHUP since the last call.
  bool reload_asked() { return std::exchange(reload_asked_, false); }

 private:
  const Hangup hangup_;
  bool asked_ = false, reload_asked_ = false;
};

}  // namespace shingle

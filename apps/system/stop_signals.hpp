// StopSignals: blocks SIGINT and SIGTERM; the program asks whether one has come. Construct it in
// main's thread before any other thread starts: threads inherit the signal mask.
#pragma once

#include <chrono>

namespace shingle {

class StopSignals {
 public:
  StopSignals();
  // True if a signal has come or comes within `wait`. Stays true afterwards.
  bool asked(std::chrono::milliseconds wait = std::chrono::milliseconds(0));

 private:
  bool asked_ = false;
};

}  // namespace shingle

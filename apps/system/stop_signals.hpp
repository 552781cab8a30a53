// StopSignals: SIGINT and SIGTERM as something to ask for instead of something that interrupts.
// Make it in main's thread before any other thread starts: they inherit that it is held back.
#pragma once

#include <chrono>

namespace shingle {

class StopSignals {
 public:
  StopSignals();
  // Has one come, or does one come within that time? Stays true once it has.
  bool asked(std::chrono::milliseconds wait = std::chrono::milliseconds(0));

 private:
  bool asked_ = false;
};

}  // namespace shingle

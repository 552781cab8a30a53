// Clock: the source of real time. One of the four seams: only an interpreter of the node reads it.
#pragma once

#include "partition/base/time.hpp"

namespace shingle {

class Clock {
 public:
  virtual ~Clock() = default;
  // Never goes back. May be called from any thread.
  virtual Time now() const = 0;
};

// The machine's monotonic clock.
class SteadyClock final : public Clock {
 public:
  Time now() const override;
};

}  // namespace shingle

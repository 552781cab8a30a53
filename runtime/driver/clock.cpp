#include "runtime/driver/clock.hpp"

namespace shingle {

Time SteadyClock::now() const {
  return Time(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

}  // namespace shingle

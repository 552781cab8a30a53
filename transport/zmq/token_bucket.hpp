// TokenBucket: how often something may happen. It holds up to `burst` tokens and gets `rate` more
// each second; each time costs one.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>

namespace shingle {

class TokenBucket {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // REQUIRES: neither is negative.
  TokenBucket(double rate, double burst) : rate_(rate), burst_(burst), tokens_(burst) {
    assert(rate >= 0.0 && burst >= 0.0);
  }

  // False if there is no token left. REQUIRES: `now` is not before an earlier one.
  bool take(Instant now) {
    assert(now >= filled_);
    const double passed = std::chrono::duration<double>(now - filled_).count();
    if (filled_ != Instant{}) tokens_ = std::min(burst_, tokens_ + passed * rate_);
    filled_ = now;
    if (tokens_ < 1.0) return false;
    tokens_ -= 1.0;
    return true;
  }

 private:
  double rate_, burst_, tokens_;
  Instant filled_{};
};

}  // namespace shingle

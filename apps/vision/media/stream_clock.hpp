// StreamClock: stream time of a live source. Its own times count, since those of arrival depend on
// the network; where they jump or begin anew, after a lost connection for one, the time between
// two arrivals counts in their place. So stream time grows over a gap as it does for those who
// watch. Pure: times of arrival are given.
#pragma once

#include <optional>

namespace shingle {

class StreamClock {
 public:
  // Stream seconds of the next picture; 0 of the first one, each greater than the one before.
  // `own`: by the source, from any moment on; `arrival`: of any clock that does not go back.
  double next(std::optional<double> own, double arrival) {
    constexpr double most_ahead = 2.0, least = 1e-3;  // s; what comes in a burst is told behind
    const double waited = arrival - arrival_;
    double step = own && own_ ? *own - *own_ : waited;
    if (step <= 0.0 || step > waited + most_ahead) step = waited;
    if (has_begun_) seconds_ += step > least ? step : least;
    has_begun_ = true;
    own_ = own;
    arrival_ = arrival;
    return seconds_;
  }

  void begin_anew() {
    own_.reset();
  }  // the source's own times have nothing to do with those before

 private:
  bool has_begun_ = false;
  double seconds_ = 0.0, arrival_ = 0.0;
  std::optional<double> own_{};  // of the last picture
};

}  // namespace shingle

#include "sim/experiment/arrivals.hpp"

#include <cmath>
#include <numbers>

namespace shingle::sim {

namespace {

Duration seconds(double count) { return Duration(std::llround(count * 1e9)); }

}  // namespace

double portable_log(double value) {
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);  // [0.5, 1)
  if (mantissa < 0.5 * std::numbers::sqrt2) mantissa *= 2.0, --exponent;
  // log m = 2 atanh((m - 1) / (m + 1)); the argument is below 0.172.
  const double argument = (mantissa - 1.0) / (mantissa + 1.0), square = argument * argument;
  double sum = 0.0;
  for (int power = 23; power >= 1; power -= 2) sum = sum * square + 1.0 / power;
  return 2.0 * argument * sum + static_cast<double>(exponent) * std::numbers::ln2;
}

ArrivalSequence::ArrivalSequence(const Arrivals& arrivals, uint64_t seed, Time start)
    : arrivals_(arrivals), start_(start), dice_(mix(seed)), next_(start) {
  if (arrivals_.kind == Arrivals::Kind::back_to_back) {
    next_ = Time::max();
    return;
  }
  if (arrivals_.kind == Arrivals::Kind::periodic) phase_ = dice_.uniform();
  take();
}

void ArrivalSequence::take() {
  switch (arrivals_.kind) {
    case Arrivals::Kind::periodic:
      next_ = start_ + seconds((phase_ + static_cast<double>(taken_)) / arrivals_.per_second);
      break;
    case Arrivals::Kind::poisson:
      next_ += seconds(-portable_log(1.0 - dice_.uniform()) / arrivals_.per_second);
      break;
    case Arrivals::Kind::trace:
      next_ = taken_ < arrivals_.times.size() ? start_ + arrivals_.times[taken_] : Time::max();
      break;
    case Arrivals::Kind::back_to_back:
      break;
  }
  ++taken_;
}

}  // namespace shingle::sim

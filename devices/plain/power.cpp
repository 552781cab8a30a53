#include "devices/plain/power.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace shingle::float_math {

namespace {

constexpr double ln2 = 0.69314718055994530942;

// REQUIRES: x positive and finite. A float is never subnormal as a double.
// log(m) = 2*(s + s^3/3 + s^5/5 + ...), s = (m-1)/(m+1); |s| <= 0.172, so nine terms leave 1e-15.
double natural_log(double x) {
  constexpr uint64_t root_half = 0x3fe6a09e667f3bcdULL;  // bits of sqrt(1/2)
  const uint64_t above = std::bit_cast<uint64_t>(x) - root_half;
  const double mantissa = std::bit_cast<double>((above & ((uint64_t{1} << 52) - 1)) + root_half);
  const auto exponent = static_cast<double>(std::bit_cast<int64_t>(above) >> 52);
  const double s = (mantissa - 1.0) / (mantissa + 1.0), square = s * s;
  double sum = 0.0;
  for (int term = 17; term >= 1; term -= 2) sum = sum * square + 1.0 / term;
  return exponent * ln2 + 2.0 * s * sum;
}

// REQUIRES: |x| < 700. Taylor on |r| <= ln2/2: thirteen terms leave 1e-16.
double natural_exp(double x) {
  const double n = std::floor(x * (1.0 / ln2) + 0.5), r = x - n * ln2;
  double sum = 1.0;
  for (int term = 13; term >= 1; --term) sum = 1.0 + sum * r / term;
  return sum * std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(n) + 1023) << 52);
}

// |base|^exponent for base neither 0 nor NaN, exponent neither 0 nor NaN.
float magnitude(float base, float exponent) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float a = std::fabs(base);
  if (a == 1.0F) return 1.0F;
  if (a == infinity || std::fabs(exponent) == infinity) {
    return (a > 1.0F) == (exponent > 0.0F) ? infinity : 0.0F;
  }
  const double power = static_cast<double>(exponent) * natural_log(static_cast<double>(a));
  if (power > 90.0) return infinity;
  if (power < -105.0) return 0.0F;
  return static_cast<float>(natural_exp(power));
}

bool is_odd(float whole) {
  return std::fabs(whole) < 16777216.0F && (static_cast<int32_t>(whole) & 1) != 0;
}

}  // namespace

float pow(float base, float exponent) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (exponent == 0.0F || base == 1.0F) return 1.0F;
  if (base != base || exponent != exponent) return base + exponent;
  const bool whole = std::floor(exponent) == exponent;
  if (base < 0.0F && base != -infinity && !whole) return std::numeric_limits<float>::quiet_NaN();
  const float size = base == 0.0F ? (exponent > 0.0F ? 0.0F : infinity) : magnitude(base, exponent);
  return std::signbit(base) && whole && is_odd(exponent) ? -size : size;
}

}  // namespace shingle::float_math

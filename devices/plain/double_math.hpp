// log and exp in double, from additions, multiplications and divisions only: what power.hpp and
// trigonometry.hpp are made of. The same bits on every machine.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace shingle::double_math {

inline constexpr double ln2 = 0.69314718055994530942;

// REQUIRES: x positive and finite, and a float or larger (not subnormal as a double).
// log(m) = 2*(s + s^3/3 + s^5/5 + ...), s = (m-1)/(m+1); |s| <= 0.172, so nine terms leave 1e-15.
inline double natural_log(double x) {
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
inline double natural_exp(double x) {
  const double n = std::floor(x * (1.0 / ln2) + 0.5), r = x - n * ln2;
  double sum = 1.0;
  for (int term = 13; term >= 1; --term) sum = 1.0 + sum * r / term;
  return sum * std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(n) + 1023) << 52);
}

}  // namespace shingle::double_math

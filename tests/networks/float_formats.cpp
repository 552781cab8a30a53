#include "tests/networks/float_formats.hpp"

#include <algorithm>
#include <cmath>

namespace shingle::networks {

double meant(const FloatFormat& format, uint16_t bits) {
  const int fraction_bits = format.fraction_bits;
  const int exponent = (bits & 0x7fff) >> fraction_bits;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x7fff >> fraction_bits) return fraction == 0 ? sign * HUGE_VAL : NAN;
  const int leading = exponent == 0 ? 0 : 1 << fraction_bits;
  return sign * std::ldexp(leading + fraction, std::max(exponent, 1) - format.bias - fraction_bits);
}

uint16_t encoded(const FloatFormat& format, double x) {
  const int infinite = 0x7fff >> format.fraction_bits << format.fraction_bits;
  const int sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) return static_cast<uint16_t>(sign | infinite | 1);
  if (x == 0.0 || std::isinf(x)) return static_cast<uint16_t>(sign | (x == 0.0 ? 0 : infinite));
  const int exponent = std::max(std::ilogb(x), 1 - format.bias);
  const double units = std::nearbyint(std::ldexp(std::abs(x), format.fraction_bits - exponent));
  if (exponent > format.bias) return static_cast<uint16_t>(sign | infinite);
  // Subnormal numbers lack the leading one; a carry raises the exponent.
  const int bits =
      (exponent + format.bias - 1) * (1 << format.fraction_bits) + static_cast<int>(units);
  return static_cast<uint16_t>(sign | std::min(bits, infinite));
}

}  // namespace shingle::networks

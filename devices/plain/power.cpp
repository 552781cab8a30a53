#include "devices/plain/power.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "devices/plain/double_math.hpp"

namespace shingle::float_math {

namespace {

// |base|^exponent for base neither 0 nor NaN, exponent neither 0 nor NaN.
float magnitude(float base, float exponent) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float a = std::fabs(base);
  if (a == 1.0F) return 1.0F;
  if (a == infinity || std::fabs(exponent) == infinity) {
    return (a > 1.0F) == (exponent > 0.0F) ? infinity : 0.0F;
  }
  const double power =
      static_cast<double>(exponent) * double_math::natural_log(static_cast<double>(a));
  if (power > 90.0) return infinity;
  if (power < -105.0) return 0.0F;
  return static_cast<float>(double_math::natural_exp(power));
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

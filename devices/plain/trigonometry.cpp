#include "devices/plain/trigonometry.hpp"

#include <cmath>
#include <limits>

#include "devices/plain/double_math.hpp"

namespace shingle::float_math {

namespace {

using double_math::natural_exp;
using double_math::natural_log;

constexpr double pi = 3.14159265358979323846;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// x = quarter * pi/2 + rest with |rest| <= pi/4.
struct Angle {
  double rest = 0.0;
  int quarter = 0;  // modulo 4
};

// REQUIRES: x finite. The first two parts of pi/2 have 26 bits each, so their products with a
// quarter below 2^27 are exact.
Angle angle_of(float x) {
  constexpr double first = 0x1.921fb50p+0, second = 0x1.110b460p-26, third = 0x1.1a62633145c07p-54;
  double value = static_cast<double>(x);
  if (std::fabs(x) >= 134217728.0F) value = std::fmod(value, 2.0 * pi);
  const double n = std::floor(value * (2.0 / pi) + 0.5);
  const double rest = ((value - n * first) - n * second) - n * third;
  return {rest, static_cast<int>(n - 4.0 * std::floor(n * 0.25))};
}

// REQUIRES: |r| <= pi/4; Taylor, which leaves 1e-16.
double sine(double r) {
  double sum = 1.0;
  for (int term = 16; term >= 2; term -= 2) sum = 1.0 - sum * r * r / (term * (term + 1));
  return sum * r;
}

double cosine(double r) {
  double sum = 1.0;
  for (int term = 16; term >= 2; term -= 2) sum = 1.0 - sum * r * r / (term * (term - 1));
  return sum;
}

// The sine of an angle that is `quarters` quarter turns further.
float turned_sine(float x, int quarters) {
  if (!(std::fabs(x) < infinity)) return nan;
  const Angle angle = angle_of(x);
  const int quarter = (angle.quarter + quarters) % 4;
  const double value = quarter % 2 == 0 ? sine(angle.rest) : cosine(angle.rest);
  return static_cast<float>(quarter < 2 ? value : -value);
}

// atan of a >= 0. Above 1 by the complement, above tan(pi/8) by the difference to pi/4; the series
// then has |t| <= 0.4143, and seventeen terms leave 1e-15.
double arc_tangent(double a) {
  const bool steep = a > 1.0;
  if (steep) a = 1.0 / a;
  const bool middle = a > 0.41421356237309503;
  const double t = middle ? (a - 1.0) / (a + 1.0) : a;
  double sum = 0.0;
  for (int term = 33; term >= 1; term -= 2) sum = 1.0 / term - sum * t * t;
  const double angle = (middle ? pi / 4.0 : 0.0) + sum * t;
  return steep ? pi / 2.0 - angle : angle;
}

double arc_sine(double x) {
  const double a = std::fabs(x);
  return std::copysign(a == 1.0 ? pi / 2.0 : arc_tangent(a / std::sqrt((1.0 - a) * (1.0 + a))), x);
}

}  // namespace

float sin(float x) { return x == 0.0F ? x : turned_sine(x, 0); }
float cos(float x) { return turned_sine(x, 1); }

float tan(float x) {
  if (!(std::fabs(x) < infinity)) return nan;
  if (x == 0.0F) return x;
  const Angle angle = angle_of(x);
  const double y = sine(angle.rest), z = cosine(angle.rest);
  return static_cast<float>(angle.quarter % 2 == 0 ? y / z : -z / y);
}

float asin(float x) {
  if (!(std::fabs(x) <= 1.0F)) return nan;
  return static_cast<float>(arc_sine(static_cast<double>(x)));
}

float acos(float x) {
  if (!(std::fabs(x) <= 1.0F)) return nan;
  return static_cast<float>(pi / 2.0 - arc_sine(static_cast<double>(x)));
}

float atan(float x) {
  if (x != x) return x;
  const auto a = static_cast<double>(std::fabs(x));
  return std::copysign(static_cast<float>(arc_tangent(a)), x);
}

float sinh(float x) {
  const auto a = static_cast<double>(std::fabs(x));
  if (x != x) return x;
  if (a >= 100.0) return std::copysign(infinity, x);  // from about 89.4 on
  if (a >= 1.0) {
    const double value = (natural_exp(a) - natural_exp(-a)) * 0.5;
    return std::copysign(static_cast<float>(value), x);
  }
  double sum = 1.0;
  for (int term = 14; term >= 2; term -= 2) sum = 1.0 + sum * a * a / (term * (term + 1));
  return std::copysign(static_cast<float>(sum * a), x);
}

float cosh(float x) {
  const auto a = static_cast<double>(std::fabs(x));
  if (x != x) return x;
  return a < 100.0 ? static_cast<float>((natural_exp(a) + natural_exp(-a)) * 0.5) : infinity;
}

float asinh(float x) {
  const auto a = static_cast<double>(std::fabs(x));
  if (!(std::fabs(x) < infinity)) return x;
  const double value = a < 1e-3 ? a - a * a * a / 6.0 : natural_log(a + std::sqrt(a * a + 1.0));
  return std::copysign(static_cast<float>(value), x);
}

float acosh(float x) {
  if (!(x >= 1.0F)) return nan;
  const auto a = static_cast<double>(x);
  return x == infinity ? x : static_cast<float>(natural_log(a + std::sqrt((a - 1.0) * (a + 1.0))));
}

float atanh(float x) {
  if (!(std::fabs(x) <= 1.0F)) return nan;
  const auto a = static_cast<double>(std::fabs(x));
  if (a == 1.0) return std::copysign(infinity, x);
  const double value = a < 1e-3 ? a + a * a * a / 3.0 : 0.5 * natural_log((1.0 + a) / (1.0 - a));
  return std::copysign(static_cast<float>(value), x);
}

}  // namespace shingle::float_math

// exp, log, tanh, erf and functions built on them, in float. They use only IEEE additions,
// multiplications, divisions, and fused multiply-adds where fused() says so: no libm, whose last
// bits differ between machines. No function branches, so a compiler may use vectors; an element's
// bits do not depend on its place in an array. exp, sigmoid, silu, tanh and the hard ones have the
// bits of the kernels' (devices/kernels/exp-inl.hpp).
//
// Polynomials were fitted at Chebyshev nodes; errors are measured against double in the tests.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace shingle::float_math {

// a * b + c, rounded once. One instruction in the loops of elementwise.hpp, into which all of this
// is inlined; slow, with the same bits, on machines without it.
[[gnu::always_inline]] inline float fused(float a, float b, float c) { return std::fma(a, b, c); }

// x = n*ln2 + r with |r| <= ln2/2.
struct Reduced {
  float r;
  int32_t n;
};

[[gnu::always_inline]] inline Reduced reduce(float x) {
  constexpr float log2_e = 1.44269504F;
  constexpr float round_here = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  constexpr float ln2_high = 0.693359375F;   // 355/512: its products with n are exact
  constexpr float ln2_low = -2.12194440e-4F;
  const float shifted = fused(x, log2_e, round_here);
  const float n = shifted - round_here;
  const float r = fused(n, -ln2_low, fused(n, -ln2_high, x));
  return {r, std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(round_here)};
}

// e^r for |r| <= ln2/2: degree 6, relative error 3.1e-9 before rounding.
[[gnu::always_inline]] inline float small_exp(float r) {
  float p = 1.38145348e-3F;
  p = fused(p, r, 8.36874545e-3F);
  p = fused(p, r, 4.16683927e-2F);
  p = fused(p, r, 0.166665211F);
  p = fused(p, r, 0.49999994F);
  p = fused(p, r, 1.0F);
  return fused(p, r, 1.0F);
}

[[gnu::always_inline]] inline float power_of_two(
    int32_t n) {  // REQUIRES (for a meaningful value): -126 <= n <= 127
  return std::bit_cast<float>((static_cast<uint32_t>(n) + 127U) << 23);
}

// e^r - 1 for |r| <= ln2/2.
[[gnu::always_inline]] inline float small_expm1(float r) {
  float p = 1.98910799e-4F;
  p = p * r + 1.39337312e-3F;
  p = p * r + 8.33331048e-3F;
  p = p * r + 4.1666463e-2F;
  p = p * r + 0.166666672F;
  p = p * r + 0.5F;
  return r + (r * r) * p;
}

[[gnu::always_inline]] inline float exp(float x) {
  // Beyond these the result is 0 or infinity anyway. NaN passes: both comparisons fail.
  x = x < -104.0F ? -104.0F : x;
  x = x > 89.0F ? 89.0F : x;
  const Reduced reduced = reduce(x);
  // In two steps, because 2^n may overflow or underflow where the result does not.
  const int32_t half = reduced.n >> 1;
  const float value = small_exp(reduced.r);
  return value * power_of_two(half) * power_of_two(reduced.n - half);
}

// e^x - 1. REQUIRES (for a meaningful value): x <= 0.
[[gnu::always_inline]] inline float expm1_below_zero(float x) {
  x = x < -20.0F ? -20.0F : x;  // -1 from here on
  const Reduced reduced = reduce(x);
  const float scale = power_of_two(reduced.n);
  return scale * small_expm1(reduced.r) + (scale - 1.0F);
}

[[gnu::always_inline]] inline float log(float x) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr uint32_t root_half = 0x3f3504f3U;  // bits of sqrt(1/2)
  const bool subnormal = x < std::numeric_limits<float>::min();
  const float scaled = subnormal ? x * 8388608.0F : x;  // 2^23
  const uint32_t above = std::bit_cast<uint32_t>(scaled) - root_half;
  const float mantissa = std::bit_cast<float>((above & 0x7fffffU) + root_half);
  const float exponent =
      static_cast<float>(std::bit_cast<int32_t>(above) >> 23) - (subnormal ? 23.0F : 0.0F);
  const float f = mantissa - 1.0F;
  float q = 6.97161183e-2F;
  q = q * f - 0.114797339F;
  q = q * f + 0.116854198F;
  q = q * f - 0.124256872F;
  q = q * f + 0.142490581F;
  q = q * f - 0.166678026F;
  q = q * f + 0.200007156F;
  q = q * f - 0.24999997F;
  q = q * f + 0.333333313F;
  const float square = f * f;
  const float rest = square * f * q - 0.5F * square + exponent * -2.12194440e-4F;
  float value = (f + rest) + exponent * 0.693359375F;
  value = x == infinity ? infinity : value;
  value = x == 0.0F ? -infinity : value;
  value = x < 0.0F ? std::numeric_limits<float>::quiet_NaN() : value;
  return x != x ? x : value;
}

// log(1 + x) for 0 <= x <= 1. The quotient corrects the rounding error of 1 + x.
[[gnu::always_inline]] inline float log1p_to_one(float x) {
  const float sum = 1.0F + x;
  const float kept = sum - 1.0F;
  const float value = log(sum) * (x / (kept == 0.0F ? 1.0F : kept));
  return kept == 0.0F ? x : value;
}

// e^-x, where x counts as at least -87 and at most 87: 2^n is then no subnormal number, and one
// product applies it. NaN passes.
[[gnu::always_inline]] inline float bounded_exp_of_minus(float x) {
  x = x < -87.0F ? -87.0F : x;
  x = x > 87.0F ? 87.0F : x;
  const Reduced reduced = reduce(-x);
  return small_exp(reduced.r) * power_of_two(reduced.n);
}

// Below -87, where it is less than 1.7e-38: 0.
[[gnu::always_inline]] inline float sigmoid(float x) {
  const float value = 1.0F / (1.0F + bounded_exp_of_minus(x));
  return x < -87.0F ? 0.0F : value;
}

// Below -87, where it is nearer to 0 than 1e-35, as of -87.
[[gnu::always_inline]] inline float silu(float x) {
  x = x < -87.0F ? -87.0F : x;
  return x / (1.0F + bounded_exp_of_minus(x));
}

[[gnu::always_inline]] inline float tanh(float x) {
  const float a = std::fabs(x);
  const float square = x * x;
  float p = 2.29247636e-3F;
  p = fused(p, square, -8.34365655e-3F);
  p = fused(p, square, 2.17688046e-2F);
  p = fused(p, square, -5.39592393e-2F);
  p = fused(p, square, 0.133333027F);
  p = fused(p, square, -0.333333343F);
  const float near_zero = fused(x * square, p, x);
  const float far = 1.0F - 2.0F / (exp(2.0F * a) + 1.0F);
  return a < 0.625F ? near_zero : std::copysign(far, x);
}

[[gnu::always_inline]] inline float softplus(float x) {
  const float above = x > 0.0F ? x : 0.0F;
  const float value = above + log1p_to_one(exp(-std::fabs(x)));
  return x != x ? x : value;
}

// x * tanh(softplus(x)), where tanh(log(1 + e)) = ((1 + e)^2 - 1) / ((1 + e)^2 + 1).
[[gnu::always_inline]] inline float mish(float x) {
  const float e = exp(x > 20.0F ? 20.0F : x);  // the quotient is 1 from here on
  const float n = e * (e + 2.0F);
  return x * (n / (n + 2.0F));
}

// For |x| < 1: x times a polynomial of x^2. Above: 1 - exp(-x^2) times a polynomial of 1/(1 +
// |x|/2).
[[gnu::always_inline]] inline float erf(float x) {
  const float square = x * x;
  float p = -9.67359119e-6F;
  p = fused(p, square, 1.12682537e-4F);
  p = fused(p, square, -8.48439639e-4F);
  p = fused(p, square, 5.22105349e-3F);
  p = fused(p, square, -2.68654376e-2F);
  p = fused(p, square, 0.112837829F);
  p = fused(p, square, -0.376126379F);
  p = fused(p, square, 0.128379166F);
  const float near_zero = fused(x, p, x);
  const float a = std::fabs(x) > 4.0F ? 4.0F : std::fabs(x);  // 1 from here on
  const float t = 1.0F / fused(0.5F, a, 1.0F);
  float q = -5.35406172e-2F;
  q = fused(q, t, -5.73387332e-2F);
  q = fused(q, t, 0.403838366F);
  q = fused(q, t, 0.101268247F);
  q = fused(q, t, 0.330840677F);
  q = fused(q, t, 0.273618162F);
  q = fused(q, t, 6.06408750e-4F);
  const float far = std::copysign(fused(-q, exp(-(a * a)), 1.0F), x);
  const float value = std::fabs(x) < 1.0F ? near_zero : far;
  return x != x ? x : value;
}

[[gnu::always_inline]] inline float gelu(float x) {
  return 0.5F * x * (1.0F + erf(x * 0.707106781F));
}

// x/2 * (1 + tanh(u)) is x * sigmoid(2u), which keeps its precision where tanh(u) is near -1.
[[gnu::always_inline]] inline float gelu_tanh(float x) {
  const float u = 0.797884561F * (x + 0.044715F * (x * x * x));
  return x * sigmoid(2.0F * u);
}

[[gnu::always_inline]] inline float sign(float x) { return x > 0.0F ? 1.0F : x < 0.0F ? -1.0F : x; }

// Adding 2^23 and taking it away again rounds to an integer, the middle to the even one.
[[gnu::always_inline]] inline float round_to_even(float x) {
  constexpr float all_integers = 8388608.0F;  // there is no fraction from here on
  const float a = std::fabs(x);
  const float rounded = (a + all_integers) - all_integers;
  return std::copysign(a < all_integers ? rounded : a, x);
}

[[gnu::always_inline]] inline float truncate(float x) {
  return std::copysign(std::floor(std::fabs(x)), x);
}

// What is left of a/b rounded down: 0 or of the sign of b. fmod() is exact on every machine.
[[gnu::always_inline]] inline float modulo(float a, float b) {
  const float rest = std::fmod(a, b);
  return rest != 0.0F && (rest < 0.0F) != (b < 0.0F) ? rest + b : rest;
}

}  // namespace shingle::float_math

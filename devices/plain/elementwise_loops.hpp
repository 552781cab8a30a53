// The loops behind elementwise.hpp. They are inlined into functions that are each compiled for one
// instruction set. The IEEE operations and their order do not depend on the vector's width, so the
// bits are the same.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "devices/plain/elementwise.hpp"
#include "devices/plain/float_math.hpp"
#include "devices/plain/lane_sum.hpp"
#include "devices/plain/power.hpp"
#include "devices/plain/trigonometry.hpp"
#include "partition/base/half.hpp"
#include "partition/model/element.hpp"

namespace shingle::elementwise_loops {

// The body of a loop, inlined whatever its size: by itself it would be compiled for every machine.
#define SHINGLE_BODY __attribute__((always_inline))

// Two loops, because a compiler that cannot tell the arrays apart falls back to scalars.
template <class Function>
[[gnu::always_inline]] inline void map(const float* in, float* out, int64_t count,
                                       Function function) {
  if (in == out) {
    for (int64_t i = 0; i < count; ++i) out[i] = function(out[i]);
    return;
  }
  const float* __restrict source = in;
  float* __restrict target = out;
  for (int64_t i = 0; i < count; ++i) target[i] = function(source[i]);
}

inline float clamp(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

// The kinds of Family::curve.
[[gnu::always_inline]] inline void curve(const Activation& activation, const float* in, float* out,
                                         int64_t count) {
  using Kind = Activation::Kind;
  const float alpha = activation.alpha, beta = activation.beta;
  if (activation.kind == Kind::gelu) {
    map(in, out, count, [](float x) SHINGLE_BODY { return float_math::gelu(x); });
  } else if (activation.kind == Kind::gelu_tanh) {
    map(in, out, count, [](float x) SHINGLE_BODY { return float_math::gelu_tanh(x); });
  } else if (activation.kind == Kind::swish) {
    map(in, out, count, [=](float x) SHINGLE_BODY { return x * float_math::sigmoid(alpha * x); });
  } else if (activation.kind == Kind::thresholded_relu) {
    map(in, out, count, [=](float x) SHINGLE_BODY { return x <= alpha ? 0.0F : x; });
  } else {
    map(in, out, count, [=](float x) SHINGLE_BODY {
      const float inside = x != x ? x : 0.0F;
      return x < -alpha ? x + beta : x > alpha ? x - beta : inside;
    });
  }
}

// The kinds of Family::step.
[[gnu::always_inline]] inline void step(const Activation& activation, const float* in, float* out,
                                        int64_t count) {
  using Kind = Activation::Kind;
  if (activation.kind == Kind::sign) {
    map(in, out, count, [](float x) SHINGLE_BODY { return float_math::sign(x); });
  } else if (activation.kind == Kind::floor) {
    map(in, out, count, [](float x) SHINGLE_BODY { return std::floor(x); });
  } else if (activation.kind == Kind::ceil) {
    map(in, out, count, [](float x) SHINGLE_BODY { return std::ceil(x); });
  } else if (activation.kind == Kind::round) {
    map(in, out, count, [](float x) SHINGLE_BODY { return float_math::round_to_even(x); });
  } else if (activation.kind == Kind::truncate) {
    map(in, out, count, [](float x) SHINGLE_BODY { return float_math::truncate(x); });
  } else if (activation.kind == Kind::is_zero) {
    map(in, out, count, [](float x) SHINGLE_BODY { return x == 0.0F ? 1.0F : 0.0F; });
  } else if (activation.kind == Kind::is_nonzero) {
    map(in, out, count, [](float x) SHINGLE_BODY { return x == 0.0F ? 0.0F : 1.0F; });
  } else if (activation.kind == Kind::is_nan) {
    map(in, out, count, [](float x) SHINGLE_BODY { return x != x ? 1.0F : 0.0F; });
  } else if (activation.kind == Kind::to_half) {
    map(in, out, count, [](float x) SHINGLE_BODY { return rounded_to_half(x); });
  } else if (activation.kind == Kind::to_bfloat16) {
    map(in, out, count, [](float x) SHINGLE_BODY { return rounded_to_bfloat16(x); });
  } else {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float above = activation.alpha == 0.0F ? 0.0F : 1.0F;
    const float below = activation.beta == 0.0F ? 0.0F : 1.0F;
    map(in, out, count, [=](float x) SHINGLE_BODY {
      return x == infinity ? above : x == -infinity ? below : 0.0F;
    });
  }
}

using FloatFunction = float (*)(float);

// REQUIRES: of Family::angle.
inline FloatFunction trigonometric(Activation::Kind kind) {
  static constexpr FloatFunction functions[] = {
      float_math::sin,   float_math::cos,   float_math::tan,  float_math::asin,
      float_math::acos,  float_math::atan,  float_math::sinh, float_math::cosh,
      float_math::asinh, float_math::acosh, float_math::atanh};
  return functions[static_cast<size_t>(kind) - static_cast<size_t>(Activation::Kind::sin)];
}

// All kinds from gelu on.
[[gnu::always_inline]] inline void later(const Activation& activation, const float* in, float* out,
                                         int64_t count) {
  switch (family_of(activation.kind)) {
    case Family::first:
    case Family::curve:
      return curve(activation, in, out, count);
    case Family::step:
      return step(activation, in, out, count);
    case Family::angle:
      return map(in, out, count, trigonometric(activation.kind));
  }
}

[[gnu::always_inline]] inline void activate(const Activation& activation, const float* in,
                                            float* out, int64_t count) {
  using Kind = Activation::Kind;
  const float alpha = activation.alpha, beta = activation.beta;
  switch (activation.kind) {
    case Kind::none:
      if (in != out) std::memcpy(out, in, static_cast<size_t>(bytes_of_floats(count)));
      return;
    case Kind::relu:
      return map(in, out, count, [](float x) SHINGLE_BODY { return x < 0.0F ? 0.0F : x; });
    case Kind::leaky_relu:
      return map(in, out, count, [=](float x) SHINGLE_BODY { return x < 0.0F ? alpha * x : x; });
    case Kind::clip:
      return map(in, out, count, [=](float x) SHINGLE_BODY { return clamp(x, alpha, beta); });
    case Kind::sigmoid:
      return map(in, out, count, [](float x) SHINGLE_BODY { return float_math::sigmoid(x); });
    case Kind::silu:
      return map(in, out, count, [](float x) SHINGLE_BODY { return float_math::silu(x); });
    case Kind::tanh:
      return map(in, out, count, [](float x) SHINGLE_BODY { return float_math::tanh(x); });
    case Kind::hard_sigmoid:
      return map(in, out, count,
                 [=](float x) SHINGLE_BODY { return clamp(alpha * x + beta, 0.0F, 1.0F); });
    case Kind::hard_swish:
      return map(in, out, count, [](float x) SHINGLE_BODY {
        return x * clamp(x * (1.0F / 6.0F) + 0.5F, 0.0F, 1.0F);
      });
    case Kind::elu:
      return map(in, out, count, [=](float x) SHINGLE_BODY {
        const float below = alpha * float_math::expm1_below_zero(x);
        return x < 0.0F ? below : x;
      });
    case Kind::softplus:
      return map(in, out, count, [](float x) SHINGLE_BODY { return float_math::softplus(x); });
    case Kind::mish:
      return map(in, out, count, [](float x) SHINGLE_BODY { return float_math::mish(x); });
    case Kind::exp:
      return map(in, out, count, [](float x) SHINGLE_BODY { return float_math::exp(x); });
    case Kind::log:
      return map(in, out, count, [](float x) SHINGLE_BODY { return float_math::log(x); });
    case Kind::sqrt:
      return map(in, out, count, [](float x) SHINGLE_BODY { return std::sqrt(x); });
    case Kind::abs:
      return map(in, out, count, [](float x) SHINGLE_BODY { return std::fabs(x); });
    case Kind::neg:
      return map(in, out, count, [](float x) SHINGLE_BODY { return -x; });
    case Kind::reciprocal:
      return map(in, out, count, [](float x) SHINGLE_BODY { return 1.0F / x; });
    case Kind::erf:
      return map(in, out, count, [](float x) SHINGLE_BODY { return float_math::erf(x); });
    default:
      return later(activation, in, out, count);
  }
}

template <class Function>
[[gnu::always_inline]] inline void zip_pixel(const Operand& a, const Operand& b, float* out,
                                             int64_t count, Function function) {
  const float* __restrict left = a.values;
  const float* __restrict right = b.values;
  float* __restrict target = out;
  if (a.broadcast) {
    const float value = *left;
    for (int64_t i = 0; i < count; ++i) target[i] = function(value, right[b.broadcast ? 0 : i]);
  } else if (b.broadcast) {
    const float value = *right;
    for (int64_t i = 0; i < count; ++i) target[i] = function(left[i], value);
  } else {
    for (int64_t i = 0; i < count; ++i) target[i] = function(left[i], right[i]);
  }
}

template <class Function>
[[gnu::always_inline]] inline void zip(Operand a, Operand b, const CombinedPixels& out,
                                       Function function) {
  if (out.count == 0) return;
  float* target = out.values;
  for (int64_t pixel = 0; pixel < out.pixels; ++pixel) {
    zip_pixel(a, b, target, out.count, function);
    a.values += a.step;
    b.values += b.step;
    target += out.step;
  }
}

[[gnu::always_inline]] inline void combine(Binary::Kind kind, Operand a, Operand b,
                                           const CombinedPixels& out) {
  using Kind = Binary::Kind;
  switch (kind) {
    case Kind::add:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return x + y; });
    case Kind::sub:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return x - y; });
    case Kind::mul:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return x * y; });
    case Kind::div:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return x / y; });
    case Kind::max:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return x < y ? y : x; });
    case Kind::min:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return y < x ? y : x; });
    case Kind::pow:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return float_math::pow(x, y); });
    case Kind::prelu:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return x < 0.0F ? x * y : x; });
    case Kind::equal:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return x == y ? 1.0F : 0.0F; });
    case Kind::less:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return x < y ? 1.0F : 0.0F; });
    case Kind::less_or_equal:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return x <= y ? 1.0F : 0.0F; });
    case Kind::keep:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return y == 0.0F ? 0.0F : x; });
    case Kind::drop:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return y == 0.0F ? x : 0.0F; });
    case Kind::modulo:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return float_math::modulo(x, y); });
    case Kind::remainder:
      return zip(a, b, out, [](float x, float y) SHINGLE_BODY { return std::fmod(x, y); });
  }
}

// Adds channels [c, c + count), whose sums stay in registers where their number is constant.
[[gnu::always_inline]] inline void add_channels(const PixelRun& pixels, int64_t c, int64_t count,
                                                double* sums) {
  constexpr size_t most = 32;
  std::array<double, most> kept;
  for (int64_t i = 0; i < count; ++i) kept[static_cast<size_t>(i)] = sums[c + i];
  const float* pixel = pixels.first + c;
  for (int64_t n = 0; n < pixels.count; ++n, pixel += pixels.step) {
    for (int64_t i = 0; i < count; ++i)
      kept[static_cast<size_t>(i)] += static_cast<double>(pixel[i]);
  }
  for (int64_t i = 0; i < count; ++i) sums[c + i] = kept[static_cast<size_t>(i)];
}

[[gnu::always_inline]] inline void add_pixels(const PixelRun& pixels, int64_t channels,
                                              double* sums) {
  int64_t c = 0;
  for (; c + 32 <= channels; c += 32) add_channels(pixels, c, 32, sums);
  for (; c + 8 <= channels; c += 8) add_channels(pixels, c, 8, sums);
  add_channels(pixels, c, channels - c, sums);
}

[[gnu::always_inline]] inline double sum_of(const float* values, int64_t count) {
  LaneSum sum;
  sum.add(values, count);
  return sum.total();
}

inline float larger(float a, float b) { return b > a ? b : a; }  // `a` where b is not a number

// In so many lanes side by side.
template <size_t lanes>
[[gnu::always_inline]] inline float maximum_in(const float* values, int64_t count) {
  std::array<float, lanes> maxima;
  maxima.fill(-std::numeric_limits<float>::infinity());
  int64_t i = 0;
  for (; i + int64_t{lanes} <= count; i += int64_t{lanes}) {
    for (size_t lane = 0; lane < lanes; ++lane)
      maxima[lane] = larger(maxima[lane], values[i + static_cast<int64_t>(lane)]);
  }
  for (size_t lane = 0; i < count; ++i, ++lane) maxima[lane] = larger(maxima[lane], values[i]);
  for (size_t half = lanes / 2; half > 0; half /= 2) {
    for (size_t lane = 0; lane < half; ++lane)
      maxima[lane] = larger(maxima[lane], maxima[half + lane]);
  }
  return maxima[0];
}

// A line of several vectors in four of them at once: else each comparison would wait for the last.
[[gnu::always_inline]] inline float maximum_of(const float* values, int64_t count) {
  constexpr int64_t vector = 16;
  if (count < 4 * vector) return maximum_in<vector>(values, count);
  const int64_t most = count / (4 * vector) * (4 * vector);
  return larger(maximum_in<4 * vector>(values, most),
                maximum_in<vector>(values + most, count - most));
}

[[gnu::always_inline]] inline void softmax(const float* in, float* out, int64_t count) {
  const float maximum = maximum_of(in, count);
  map(in, out, count, [=](float x) SHINGLE_BODY { return float_math::exp(x - maximum); });
  const auto factor = static_cast<float>(1.0 / sum_of(out, count));
  map(out, out, count, [=](float x) SHINGLE_BODY { return x * factor; });
}

#undef SHINGLE_BODY

}  // namespace shingle::elementwise_loops

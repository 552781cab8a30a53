// Activations, binary arithmetic, sums and softmax on contiguous runs of floats. All executors use
// these loops, so that they give the same bits.
#pragma once

#include <cstdint>

#include "partition/model/operator.hpp"

namespace shingle {

// out[i] = activation(in[i]). `in` and `out` are the same array or do not overlap.
void activate(const Activation& activation, const float* in, float* out, int64_t count);

// The activations in the order of their kinds: none to erf, gelu to shrink, sign to to_bfloat16,
// sin to atanh.
enum class Family : uint8_t { first, curve, step, angle };

constexpr Family family_of(Activation::Kind kind) {
  if (kind >= Activation::Kind::sin) return Family::angle;
  if (kind >= Activation::Kind::sign) return Family::step;
  return kind >= Activation::Kind::gelu ? Family::curve : Family::first;
}

// A kind that is added between two families, or behind the last one, must choose its family here.
constexpr bool follows(Activation::Kind kind, Activation::Kind before) {
  return static_cast<int>(kind) == static_cast<int>(before) + 1;
}
static_assert(follows(Activation::Kind::gelu, Activation::Kind::erf));
static_assert(follows(Activation::Kind::sign, Activation::Kind::shrink));
static_assert(follows(Activation::Kind::sin, Activation::Kind::to_bfloat16));
static_assert(Activation::last_kind == Activation::Kind::atanh);

// Rough number of operations per element: 1 for a comparison and a product, 10 for functions that
// use exp or log, 60 for functions that are computed in double, one element at a time.
int cost_of(const Activation& activation);

// A pixel's floats, or one float that is used for all of the pixel's elements.
struct Operand {
  const float* values = nullptr;
  bool broadcast = false;
  int64_t step = 0;  // to the next pixel's
};

// `pixels` pixels of `count` floats, each `step` floats behind the one before.
struct CombinedPixels {
  float* values = nullptr;
  int64_t count = 0, pixels = 1, step = 0;
};

// out[i] = a[i] (kind) b[i] in each pixel. `out` overlaps neither operand.
void combine(Binary::Kind kind, Operand a, Operand b, const CombinedPixels& out);

// Pixels of a row, `step` floats apart.
struct PixelRun {
  const float* first = nullptr;
  int64_t step = 0, count = 0;
};

// sums[c] += channel c of each pixel in turn.
void add_pixels(const PixelRun& pixels, int64_t channels, double* sums);

// The sum as LaneSum takes it.
double sum_of(const float* values, int64_t count);

// A line's softmax. `out` does not overlap `in`. REQUIRES: count >= 1.
void softmax(const float* in, float* out, int64_t count);

}  // namespace shingle

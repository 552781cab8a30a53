// Activations and binary arithmetic on contiguous runs of floats: one set of loops for every
// executor, so that they agree bit for bit.
#pragma once

#include <cstdint>

#include "partition/model/operator.hpp"

namespace shingle {

// out[i] = activation(in[i]). `in` and `out` are the same array or do not overlap.
void activate(const Activation& activation, const float* in, float* out, int64_t count);

// The activations in the order of their kinds: none to erf, gelu to shrink, sign to is_infinite,
// sin to atanh.
enum class Family : uint8_t { first, curve, step, angle };

constexpr Family family_of(Activation::Kind kind) {
  if (kind >= Activation::Kind::sin) return Family::angle;
  if (kind >= Activation::Kind::sign) return Family::step;
  return kind >= Activation::Kind::gelu ? Family::curve : Family::first;
}

// Operations per element, roughly: about 1 for what is a comparison and a product, 10 for what is
// built on exp or log, 60 for what is computed in double, one by one.
int cost_of(const Activation& activation);

// A run of floats, or one float that counts for the whole run.
struct Operand {
  const float* values = nullptr;
  bool broadcast = false;
};

// out[i] = a[i] (kind) b[i]. `out` overlaps neither operand.
void combine(Binary::Kind kind, Operand a, Operand b, float* out, int64_t count);

}  // namespace shingle

// The floating point formats of 16 bits as their definitions say, in double and slowly: an oracle.
#pragma once

#include <cstdint>

namespace shingle::networks {

// One bit of sign, then exponent, then fraction.
struct FloatFormat {
  int fraction_bits, bias;
};
inline constexpr FloatFormat half_format{10, 15};
inline constexpr FloatFormat bfloat16_format{7, 127};

// What the bits mean.
double meant(const FloatFormat& format, uint16_t bits);

// The bits of the nearest number, ties to the even one.
uint16_t encoded(const FloatFormat& format, double x);

}  // namespace shingle::networks

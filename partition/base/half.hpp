// The 16-bit floats of model files, as floats: float16 (IEEE 754 binary16: 5 bits of exponent, 10
// of fraction) and bfloat16 (the upper 16 bits of a float).
//
// Widening is exact, infinities and NaN included. Rounding goes to the nearest number of the type,
// ties to the even one, as IEEE 754 and ONNX's Cast say: what is too large becomes infinite, what
// is too small a subnormal number or a zero of its sign, and NaN stays NaN. Only integers and exact
// IEEE operations, and no branch, so that a compiler may run the rounding on vectors: each
// element's bits are the same on every machine.
#pragma once

#include <bit>
#include <cstdint>

namespace shingle {

inline float widened_half(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000U) << 16, magnitude = bits & 0x7fffU;
  if (magnitude < 0x0400U) {  // zero and subnormals: a multiple of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return sign != 0 ? -value : value;
  }
  const uint32_t bias = magnitude < 0x7c00U ? 127U - 15U : 255U - 31U;  // the latter: inf and NaN
  return std::bit_cast<float>(sign | ((magnitude << 13) + (bias << 23)));
}

inline float widened_bfloat16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// The number of the type float16 that is nearest to x.
inline float rounded_to_half(float x) {
  constexpr uint32_t infinity = 0x7f800000U;
  constexpr uint32_t least_normal = 0x38800000U;  // 2^-14
  constexpr uint32_t too_large = 0x47800000U;     // 2^16
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = bits & 0x80000000U, magnitude = bits & 0x7fffffffU;
  // 13 bits of the fraction go. A carry out of it raises the exponent, as it should.
  const uint32_t normal = (magnitude + 0xfffU + ((magnitude >> 13) & 1U)) & 0xffffe000U;
  // One unit in the last place of floats from 1/2 to 1 is 2^-24, as of all subnormal halves.
  const uint32_t subnormal =
      std::bit_cast<uint32_t>((std::bit_cast<float>(magnitude) + 0.5F) - 0.5F);
  const uint32_t finite = normal < too_large ? normal : infinity;
  const uint32_t number = magnitude < least_normal ? subnormal : finite;
  const uint32_t quiet_nan = (magnitude & 0xffffe000U) | 0x400000U;
  return std::bit_cast<float>(sign | (magnitude > infinity ? quiet_nan : number));
}

// The number of the type bfloat16 that is nearest to x.
inline float rounded_to_bfloat16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x), magnitude = bits & 0x7fffffffU;
  const uint32_t number = (bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U;
  const uint32_t quiet_nan = (bits & 0xffff0000U) | 0x400000U;
  return std::bit_cast<float>(magnitude > 0x7f800000U ? quiet_nan : number);
}

}  // namespace shingle

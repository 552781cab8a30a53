// float16 and bfloat16: widened and rounded, against the formats' definitions in double.
#include "partition/base/half.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

#include "partition/base/dice.hpp"
#include "tests/networks/float_formats.hpp"

namespace shingle {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Our functions, and the format that they shall follow.
struct Type {
  networks::FloatFormat format;
  float (*widened)(uint16_t);
  float (*rounded)(float);
};
constexpr Type types[] = {{networks::half_format, widened_half, rounded_to_half},
                          {networks::bfloat16_format, widened_bfloat16, rounded_to_bfloat16}};

uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }

// The float halfway between the finite number of these bits and the next larger one: exact.
float middle(const networks::FloatFormat& format, uint16_t bits) {
  const int exponent = std::max(bits >> format.fraction_bits, 1);
  const double half_a_unit = std::ldexp(1.0, exponent - format.bias - format.fraction_bits - 1);
  return static_cast<float>(networks::meant(format, bits) + half_a_unit);
}

}  // namespace

TEST_CASE("Every number of 16 bits is widened to what its bits mean, and rounds to itself") {
  for (const Type& type : types) {
    CAPTURE(type.format.bias);
    int wrong = 0;
    for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
      const double exact = networks::meant(type.format, static_cast<uint16_t>(bits));
      const float wide = type.widened(static_cast<uint16_t>(bits)), again = type.rounded(wide);
      if (std::isnan(exact)) {
        if (!std::isnan(wide) || !std::isnan(again)) ++wrong;
        continue;
      }
      if (static_cast<double>(wide) != exact || std::signbit(wide) != std::signbit(exact)) ++wrong;
      if (bits_of(again) != bits_of(wide)) ++wrong;
      if (networks::encoded(type.format, exact) != bits) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("Between two neighbours the nearer one is taken, and the even one in the middle") {
  for (const Type& type : types) {
    CAPTURE(type.format.bias);
    const int infinite = 0x7fff >> type.format.fraction_bits << type.format.fraction_bits;
    int wrong = 0;
    for (int bits = 0; bits < infinite; ++bits) {
      const auto low = static_cast<uint16_t>(bits), high = static_cast<uint16_t>(bits + 1);
      const float between = middle(type.format, low);  // beyond the largest number lies infinity
      const auto is = [&](float x, uint16_t to) {
        const float expected = type.widened(to);
        if (bits_of(type.rounded(x)) != bits_of(expected)) ++wrong;
        if (bits_of(type.rounded(-x)) != bits_of(-expected)) ++wrong;
      };
      is(between, bits % 2 == 0 ? low : high);
      is(std::nextafter(between, 0.0F), low);
      is(std::nextafter(between, infinity), high);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("Any float rounds to the number that the format's definition gives") {
  uint64_t dice = 5;
  int wrong = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(splitmix64(dice)));
    if (std::isnan(x)) continue;
    for (const Type& type : types) {
      const uint16_t nearest = networks::encoded(type.format, static_cast<double>(x));
      if (bits_of(type.rounded(x)) != bits_of(type.widened(nearest))) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("What is too large becomes infinite, what is too small a zero of its sign") {
  CHECK(rounded_to_half(65504.0F) == 65504.0F);
  CHECK(rounded_to_half(65519.0F) == 65504.0F);
  CHECK(rounded_to_half(65520.0F) == infinity);
  CHECK(rounded_to_half(-1e30F) == -infinity);
  CHECK(rounded_to_half(infinity) == infinity);
  CHECK(rounded_to_half(0x1p-24F) == 0x1p-24F);
  CHECK(rounded_to_half(0x1p-25F) == 0.0F);
  CHECK(bits_of(rounded_to_half(-1e-40F)) == 0x80000000U);
  CHECK(rounded_to_bfloat16(std::numeric_limits<float>::max()) == infinity);
  CHECK(rounded_to_bfloat16(-infinity) == -infinity);
  CHECK(rounded_to_bfloat16(1e-45F) == 0.0F);
  CHECK(bits_of(rounded_to_bfloat16(-1e-45F)) == 0x80000000U);
}

TEST_CASE("NaN stays NaN with its sign, whatever its payload") {
  for (const uint32_t bits : {0x7f800001U, 0x7fc00000U, 0x7fffffffU, 0xff800001U, 0xffffffffU}) {
    const auto nan = std::bit_cast<float>(bits);
    CHECK(std::isnan(rounded_to_half(nan)));
    CHECK(std::isnan(rounded_to_bfloat16(nan)));
    CHECK(std::signbit(rounded_to_half(nan)) == std::signbit(nan));
    CHECK(std::signbit(rounded_to_bfloat16(nan)) == std::signbit(nan));
  }
}

}  // namespace shingle

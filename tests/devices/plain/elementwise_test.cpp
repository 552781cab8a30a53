// Activations and arithmetic: accuracy against double, and bits that do not depend on where an
// element stands.
#include "devices/plain/elementwise.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "devices/plain/power.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::tests {

namespace {

using Kind = Activation::Kind;
constexpr float infinity = std::numeric_limits<float>::infinity();

// Distance in units in the last place of the float nearest to `exact`.
double ulps(float value, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (value == nearest) return 0.0;
  if (std::isinf(nearest) || std::isinf(value) || std::isnan(value)) return 1e9;
  const float size = std::max(std::fabs(nearest), std::numeric_limits<float>::min());
  const double unit =
      static_cast<double>(std::nextafter(size, infinity)) - static_cast<double>(size);
  return std::fabs(static_cast<double>(value) - exact) / unit;
}

float one(const Activation& activation, float x) {
  float result = 0.0F;
  activate(activation, &x, &result, 1);
  return result;
}

struct Function {
  const char* name;
  Activation activation;
  float low, high;
  double allowed_ulps;
  std::function<double(double)> exact;
};

const Function functions[] = {
    {"exp", {.kind = Kind::exp}, -87.0F, 88.7F, 2.0, [](double x) { return std::exp(x); }},
    {"log", {.kind = Kind::log}, 1e-3F, 1e4F, 2.0, [](double x) { return std::log(x); }},
    {"sigmoid",
     {.kind = Kind::sigmoid},
     -80.0F,
     80.0F,
     3.0,
     [](double x) { return 1.0 / (1.0 + std::exp(-x)); }},
    {"silu",
     {.kind = Kind::silu},
     -80.0F,
     80.0F,
     4.0,
     [](double x) { return x / (1.0 + std::exp(-x)); }},
    {"tanh", {.kind = Kind::tanh}, -12.0F, 12.0F, 2.0, [](double x) { return std::tanh(x); }},
    {"erf", {.kind = Kind::erf}, -5.0F, 5.0F, 2.0, [](double x) { return std::erf(x); }},
    {"elu",
     {.kind = Kind::elu, .alpha = 1.0F},
     -30.0F,
     3.0F,
     3.0,
     [](double x) { return x < 0 ? std::expm1(x) : x; }},
    {"softplus",
     {.kind = Kind::softplus},
     -80.0F,
     80.0F,
     4.0,
     [](double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }},
    {"mish",
     {.kind = Kind::mish},
     -80.0F,
     80.0F,
     4.0,
     [](double x) {
       return x * std::tanh(x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)));
     }},
    {"sin", {.kind = Kind::sin}, -1e5F, 1e5F, 0.51, [](double x) { return std::sin(x); }},
    {"sin, far", {.kind = Kind::sin}, -1e8F, 1e8F, 0.51, [](double x) { return std::sin(x); }},
    {"cos", {.kind = Kind::cos}, -1e5F, 1e5F, 0.51, [](double x) { return std::cos(x); }},
    {"tan", {.kind = Kind::tan}, -1e5F, 1e5F, 0.51, [](double x) { return std::tan(x); }},
    {"asin", {.kind = Kind::asin}, -1.0F, 1.0F, 0.51, [](double x) { return std::asin(x); }},
    {"acos", {.kind = Kind::acos}, -1.0F, 1.0F, 0.51, [](double x) { return std::acos(x); }},
    {"atan", {.kind = Kind::atan}, -1e3F, 1e3F, 0.51, [](double x) { return std::atan(x); }},
    {"sinh", {.kind = Kind::sinh}, -88.0F, 88.0F, 0.51, [](double x) { return std::sinh(x); }},
    {"cosh", {.kind = Kind::cosh}, -88.0F, 88.0F, 0.51, [](double x) { return std::cosh(x); }},
    {"asinh", {.kind = Kind::asinh}, -1e6F, 1e6F, 0.51, [](double x) { return std::asinh(x); }},
    {"acosh", {.kind = Kind::acosh}, 1.0F, 1e6F, 0.51, [](double x) { return std::acosh(x); }},
    {"atanh", {.kind = Kind::atanh}, -0.999F, 0.999F, 0.51, [](double x) { return std::atanh(x); }},
};

}  // namespace

TEST_CASE("Functions built on exp and log stay within a few units in the last place") {
  for (const Function& function : functions) {
    networks::Random random(77);
    double worst = 0.0;
    float worst_at = 0.0F;
    for (int i = 0; i < 200'000; ++i) {
      // Half of the arguments near zero, where cancellation would show.
      const float wide = random.uniform(function.low, function.high);
      const float x = random.chance(0.5) ? wide : std::max(function.low, wide * 0.01F);
      const double error =
          ulps(one(function.activation, x), function.exact(static_cast<double>(x)));
      if (error > worst) {
        worst = error;
        worst_at = x;
      }
    }
    CAPTURE(function.name);
    CAPTURE(worst_at);
    CHECK(worst <= function.allowed_ulps);
  }
}

TEST_CASE("Functions keep their limits and pass NaN on") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(one({.kind = Kind::exp}, 1000.0F) == infinity);
  CHECK(one({.kind = Kind::exp}, -1000.0F) == 0.0F);
  CHECK(one({.kind = Kind::exp}, 0.0F) == 1.0F);
  CHECK(one({.kind = Kind::log}, 0.0F) == -infinity);
  CHECK(one({.kind = Kind::log}, 1.0F) == 0.0F);
  CHECK(one({.kind = Kind::log}, infinity) == infinity);
  CHECK(std::isnan(one({.kind = Kind::log}, -1.0F)));
  CHECK(ulps(one({.kind = Kind::log}, 1e-40F), std::log(static_cast<double>(1e-40F))) <= 2.0);
  CHECK(one({.kind = Kind::sigmoid}, 200.0F) == 1.0F);
  CHECK(one({.kind = Kind::sigmoid}, -200.0F) == 0.0F);
  CHECK(one({.kind = Kind::silu}, 200.0F) == 200.0F);
  CHECK(one({.kind = Kind::tanh}, 50.0F) == 1.0F);
  CHECK(one({.kind = Kind::tanh}, -50.0F) == -1.0F);
  CHECK(one({.kind = Kind::erf}, infinity) == 1.0F);
  CHECK(one({.kind = Kind::erf}, -50.0F) == -1.0F);
  CHECK(one({.kind = Kind::erf}, 0.0F) == 0.0F);
  CHECK(one({.kind = Kind::softplus}, 200.0F) == 200.0F);
  CHECK(one({.kind = Kind::mish}, 200.0F) == 200.0F);
  for (Kind kind : {Kind::relu, Kind::leaky_relu, Kind::sigmoid, Kind::silu, Kind::tanh, Kind::elu,
                    Kind::softplus, Kind::mish, Kind::exp, Kind::log, Kind::sqrt, Kind::erf,
                    Kind::to_half, Kind::to_bfloat16}) {
    CAPTURE(static_cast<int>(kind));
    CHECK(std::isnan(one({.kind = kind, .alpha = 0.1F}, nan)));
  }
}

TEST_CASE("Trigonometric and hyperbolic functions give NaN off their range, and infinities") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (Kind kind : {Kind::sin, Kind::cos, Kind::tan, Kind::asin, Kind::acos, Kind::atanh}) {
    CAPTURE(static_cast<int>(kind));
    CHECK(std::isnan(one({.kind = kind}, infinity)));
    CHECK(std::isnan(one({.kind = kind}, nan)));
  }
  for (Kind kind : {Kind::sinh, Kind::asinh}) {
    CHECK(one({.kind = kind}, -infinity) == -infinity);
    CHECK(std::isnan(one({.kind = kind}, nan)));
  }
  for (const float large : {89.5F, 100.0F, 150.0F, 3e38F}) {
    CHECK(one({.kind = Kind::sinh}, large) == infinity);
    CHECK(one({.kind = Kind::sinh}, -large) == -infinity);
  }
  CHECK(one({.kind = Kind::atan}, infinity) == 1.57079632679F);
  CHECK(std::isnan(one({.kind = Kind::atan}, nan)));
  CHECK(one({.kind = Kind::cosh}, -infinity) == infinity);
  CHECK(one({.kind = Kind::acosh}, infinity) == infinity);
  CHECK(std::isnan(one({.kind = Kind::acosh}, 0.5F)));
  CHECK(one({.kind = Kind::atanh}, -1.0F) == -infinity);
  CHECK(one({.kind = Kind::asin}, 1.0F) == 1.57079632679F);
  CHECK(std::fabs(one({.kind = Kind::sin}, 1e30F)) <= 1.0F);
  CHECK(std::signbit(one({.kind = Kind::sin}, -0.0F)));
}

TEST_CASE("Rounding goes to the even one, towards zero, down and up") {
  CHECK(one({.kind = Kind::round}, 2.5F) == 2.0F);
  CHECK(one({.kind = Kind::round}, -3.5F) == -4.0F);
  CHECK(one({.kind = Kind::round}, 16777217.0F) == 16777217.0F);
  CHECK(std::signbit(one({.kind = Kind::round}, -0.25F)));
  CHECK(one({.kind = Kind::truncate}, -2.75F) == -2.0F);
  CHECK(one({.kind = Kind::floor}, -2.25F) == -3.0F);
  CHECK(one({.kind = Kind::ceil}, -2.75F) == -2.0F);
  CHECK(one({.kind = Kind::sign}, -0.5F) == -1.0F);
  CHECK(one({.kind = Kind::sign}, 0.0F) == 0.0F);
}

TEST_CASE("Gelu in both forms is within a rounding error of the largest factor") {
  networks::Random random(5);
  for (int i = 0; i < 20'000; ++i) {
    const float x = random.uniform(-8.0F, 8.0F);
    const auto d = static_cast<double>(x);
    const double exact = 0.5 * d * (1.0 + std::erf(d / std::sqrt(2.0)));
    const double form =
        0.5 * d *
        (1.0 + std::tanh(std::sqrt(2.0 / 3.14159265358979324) * (d + 0.044715 * d * d * d)));
    CHECK(std::fabs(static_cast<double>(one({.kind = Kind::gelu}, x)) - exact) < 1e-6);
    CHECK(std::fabs(static_cast<double>(one({.kind = Kind::gelu_tanh}, x)) - form) < 1e-6);
  }
}

TEST_CASE("Simple activations give exactly what they say") {
  CHECK(one({.kind = Kind::relu}, -2.0F) == 0.0F);
  CHECK(one({.kind = Kind::leaky_relu, .alpha = 0.1F}, -2.0F) == 0.1F * -2.0F);
  CHECK(one({.kind = Kind::leaky_relu, .alpha = 0.1F}, 2.0F) == 2.0F);
  CHECK(one({.kind = Kind::clip, .alpha = -1.0F, .beta = 6.0F}, 7.0F) == 6.0F);
  CHECK(one({.kind = Kind::clip, .alpha = -1.0F, .beta = 6.0F}, -7.0F) == -1.0F);
  CHECK(one({.kind = Kind::hard_sigmoid, .alpha = 0.2F, .beta = 0.5F}, 1.0F) == 0.2F + 0.5F);
  CHECK(one({.kind = Kind::hard_sigmoid, .alpha = 0.2F, .beta = 0.5F}, 9.0F) == 1.0F);
  CHECK(one({.kind = Kind::hard_swish}, 4.0F) == 4.0F);
  CHECK(one({.kind = Kind::hard_swish}, -4.0F) == 0.0F);
  CHECK(one({.kind = Kind::sqrt}, 2.0F) == std::sqrt(2.0F));
  CHECK(one({.kind = Kind::abs}, -3.0F) == 3.0F);
  CHECK(one({.kind = Kind::neg}, -3.0F) == 3.0F);
  CHECK(one({.kind = Kind::reciprocal}, 4.0F) == 0.25F);
  CHECK(one({.kind = Kind::to_half}, 2049.0F) == 2048.0F);
  CHECK(one({.kind = Kind::to_half}, 0x1.8p-24F) == 0x1p-23F);
  CHECK(one({.kind = Kind::to_half}, -65'520.0F) == -infinity);
  CHECK(one({.kind = Kind::to_bfloat16}, 257.0F) == 256.0F);
}

TEST_CASE("An element's bits depend neither on its place in a run nor on where the result goes") {
  const std::vector<float> values = [] {
    std::vector<float> result = networks::random_input({1, 1, 259}, 3);
    for (float& value : result) value *= 10.0F;
    return result;
  }();
  for (int kind = 0; kind <= static_cast<int>(Activation::last_kind); ++kind) {
    const Activation activation{static_cast<Kind>(kind), 0.3F, 0.6F};
    CAPTURE(kind);
    for (size_t begin : {0U, 1U, 3U, 7U}) {
      const std::vector<float> in(values.begin() + static_cast<ptrdiff_t>(begin), values.end());
      std::vector<float> out(in.size()), in_place = in;
      activate(activation, in.data(), out.data(), static_cast<int64_t>(in.size()));
      activate(activation, in_place.data(), in_place.data(), static_cast<int64_t>(in.size()));
      int64_t different = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        const auto alone = std::bit_cast<uint32_t>(one(activation, in[i]));
        if (std::bit_cast<uint32_t>(out[i]) != alone) ++different;
        if (std::bit_cast<uint32_t>(in_place[i]) != alone) ++different;
      }
      CHECK(different == 0);
    }
  }
}

TEST_CASE("Binary arithmetic takes runs and single values on either side") {
  const std::vector<float> a{1.0F, -2.0F, 3.0F, -4.0F, 5.0F}, b{2.0F, 0.5F, -3.0F, 4.0F, 0.25F};
  const std::pair<Binary::Kind, float (*)(float, float)> kinds[] = {
      {Binary::Kind::add, [](float x, float y) { return x + y; }},
      {Binary::Kind::sub, [](float x, float y) { return x - y; }},
      {Binary::Kind::mul, [](float x, float y) { return x * y; }},
      {Binary::Kind::div, [](float x, float y) { return x / y; }},
      {Binary::Kind::max, [](float x, float y) { return std::max(x, y); }},
      {Binary::Kind::min, [](float x, float y) { return std::min(x, y); }},
      {Binary::Kind::prelu, [](float x, float y) { return x < 0 ? x * y : x; }},
      {Binary::Kind::equal, [](float x, float y) { return x == y ? 1.0F : 0.0F; }},
      {Binary::Kind::less, [](float x, float y) { return x < y ? 1.0F : 0.0F; }},
      {Binary::Kind::less_or_equal, [](float x, float y) { return x <= y ? 1.0F : 0.0F; }},
      {Binary::Kind::keep, [](float x, float y) { return y != 0 ? x : 0.0F; }},
      {Binary::Kind::drop, [](float x, float y) { return y != 0 ? 0.0F : x; }},
      {Binary::Kind::remainder, [](float x, float y) { return std::fmod(x, y); }},
      {Binary::Kind::modulo, [](float x, float y) { return x - y * std::floor(x / y); }},
  };
  for (const auto& [kind, exact] : kinds) {
    for (bool broadcast_a : {false, true}) {
      for (bool broadcast_b : {false, true}) {
        std::vector<float> out(a.size());
        combine(kind, {a.data(), broadcast_a}, {b.data(), broadcast_b}, {out.data(), 5});
        for (size_t i = 0; i < out.size(); ++i) {
          CHECK(out[i] == exact(a[broadcast_a ? 0 : i], b[broadcast_b ? 0 : i]));
        }
      }
    }
  }
}

TEST_CASE("pow is within one unit in the last place, and right in the special cases") {
  networks::Random random(9);
  double worst = 0.0;
  for (int i = 0; i < 200'000; ++i) {
    const float base = std::exp(random.uniform(-20.0F, 20.0F)),
                exponent = random.uniform(-4.0F, 4.0F);
    const double exact = std::pow(static_cast<double>(base), static_cast<double>(exponent));
    worst = std::max(worst, ulps(float_math::pow(base, exponent), exact));
  }
  CHECK(worst <= 0.51);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float specials[] = {0.0F,  -0.0F, 1.0F, -1.0F, 2.0F,     -2.0F,     3.0F,
                            -3.0F, 0.5F,  2.5F, -2.5F, infinity, -infinity, nan};
  for (float base : specials) {
    for (float exponent : specials) {
      CAPTURE(base);
      CAPTURE(exponent);
      const float expected = std::pow(base, exponent), computed = float_math::pow(base, exponent);
      CHECK(std::isnan(computed) == std::isnan(expected));
      if (!std::isnan(expected)) {
        CHECK(ulps(computed, static_cast<double>(expected)) <= 1.0);
        CHECK(std::signbit(computed) == std::signbit(expected));
      }
    }
  }
}

}  // namespace shingle::tests

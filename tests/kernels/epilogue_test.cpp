// Activations and residuals inside the kernels give the same bytes as when they are applied to the
// stored sums.
#include "devices/kernels/epilogue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "devices/kernels/depthwise.hpp"
#include "devices/kernels/direct.hpp"
#include "devices/plain/float_math.hpp"
#include "tests/kernels/maps.hpp"

namespace shingle::kernels {
namespace {

using Kind = Activation::Kind;

float applied(const Activation& a, float v) {
  switch (a.kind) {
    case Kind::relu:
      return std::max(v, 0.0F);
    case Kind::leaky_relu:
      return v < 0 ? v * a.alpha : v;
    case Kind::clip:
      return std::clamp(v, a.alpha, a.beta);
    case Kind::sigmoid:
      return float_math::sigmoid(v);
    case Kind::silu:
      return float_math::silu(v);
    case Kind::hard_sigmoid:
      return std::clamp(a.alpha * v + a.beta, 0.0F, 1.0F);
    case Kind::hard_swish:
      return v * std::clamp(v * (1.0F / 6.0F) + 0.5F, 0.0F, 1.0F);
    default:
      return v;
  }
}

Map followed(const Map& sums, const Epilogue& e, const Map& added) {
  Map out(sums.rows, sums.columns, sums.channels);
  for (std::size_t i = 0; i < sums.data.size(); ++i) {
    const float v = sums.data[i], r = added.data[i];
    if (!e.residual)
      out.data[i] = applied(e.activation, v);
    else if (e.residual_after_activation)
      out.data[i] = applied(e.activation, v) + r;
    else
      out.data[i] = applied(e.activation, v + r);
  }
  return out;
}

// Calls compute(epilogue, out) for each activation, with and without a map that is added.
template <class Compute>
void check_epilogues(Random& random, Span rows, Span columns, int32_t channels,
                     const Compute& compute) {
  Map sums(rows, columns, channels);
  compute(Epilogue{}, sums);
  const Map added = random_map(random, rows.size(), columns.size(), channels);
  const InputRows residual = added.input();
  for (const Activation& activation :
       {Activation{Kind::none}, Activation{Kind::relu}, Activation{Kind::leaky_relu, 0.1F},
        Activation{Kind::clip, -0.25F, 0.5F}, Activation{Kind::sigmoid}, Activation{Kind::silu},
        Activation{Kind::hard_sigmoid, 0.2F, 0.5F}, Activation{Kind::hard_swish}}) {
    for (const InputRows* other : {static_cast<const InputRows*>(nullptr), &residual}) {
      for (const bool after : {false, true}) {
        const Epilogue epilogue{activation, other, after};
        Map out(rows, columns, channels);
        compute(epilogue, out);
        CAPTURE(static_cast<int>(activation.kind));
        CAPTURE(after);
        CHECK(differing(out, followed(sums, epilogue, added)) == 0);
      }
    }
  }
}

}  // namespace

TEST_CASE(
    "what follows a direct convolution in the registers has the bytes of doing it afterwards") {
  Random random(31);
  for (const int32_t outputs : {5, 16, 40, 64}) {
    CAPTURE(outputs);
    const Window window{3, 1, 1, 1, 1};
    const Layer layer = random_layer(random, {outputs, 3, 3, 3, 1}, window, window);
    std::vector<float> packed(packed_floats(layer.filter));
    pack(layer.filter, layer.weights.data(), layer.bias, packed.data());
    const Map input = random_map(random, 5, 19, 3);
    const Scratch scratch(direct_scratch_floats(layer.filter));
    check_epilogues(random, {0, 5}, {0, 19}, outputs, [&](const Epilogue& e, const Map& out) {
      direct_convolution({layer.filter, window, window, packed.data()}, input.input(), out.output(),
                         e, scratch.at);
    });
  }
}

TEST_CASE("NaN stays NaN in the registers, as in the loops") {
  Random random(33);
  const Window window{3, 1, 1, 1, 1};
  const Layer layer = random_layer(random, {20, 3, 3, 3, 1}, window, window);
  std::vector<float> packed(packed_floats(layer.filter));
  pack(layer.filter, layer.weights.data(), layer.bias, packed.data());
  Map input = random_map(random, 5, 9, 3);
  input.data[3 * (2 * 9 + 4)] = std::numeric_limits<float>::quiet_NaN();
  const Scratch scratch(direct_scratch_floats(layer.filter));
  for (const Activation& activation :
       {Activation{Kind::none}, Activation{Kind::sigmoid}, Activation{Kind::silu},
        Activation{Kind::hard_sigmoid, 0.2F, 0.5F}, Activation{Kind::hard_swish}}) {
    CAPTURE(static_cast<int>(activation.kind));
    Map out({0, 5}, {0, 9}, 20);
    direct_convolution({layer.filter, window, window, packed.data()}, input.input(), out.output(),
                       Epilogue{activation}, scratch.at);
    const auto nans = std::ranges::count_if(out.data, [](float v) { return std::isnan(v); });
    CHECK(nans == 3 * 3 * 20);  // the pixels whose window holds it, in all channels
  }
}

TEST_CASE("what follows a depthwise convolution has the bytes of doing it afterwards") {
  Random random(32);
  for (const auto& [kernel, stride] : {std::pair{3, 1}, {3, 2}, {5, 2}, {7, 1}, {9, 1}}) {
    for (const int32_t channels : {7, 32, 50}) {
      CAPTURE(kernel);
      CAPTURE(stride);
      CAPTURE(channels);
      const int32_t pad = kernel / 2;
      const Window window{kernel, stride, 1, pad, pad};
      const Layer layer =
          random_layer(random, {channels, 1, kernel, kernel, channels}, window, window);
      std::vector<float> packed(depthwise_floats(channels, kernel, kernel));
      pack_depthwise(channels, kernel, kernel, layer.weights.data(), layer.bias, packed.data());
      const Map input = random_map(random, 6, 18, channels);
      const Span rows{0, 6 / stride}, columns{0, 18 / stride};
      check_epilogues(random, rows, columns, channels, [&](const Epilogue& e, const Map& out) {
        depthwise_convolution({channels, window, window, packed.data()}, input.input(),
                              out.output(), e);
      });
    }
  }
}

}  // namespace shingle::kernels

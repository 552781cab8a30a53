// Activations and residuals inside the kernels give the same bytes as when they are applied to the
// stored sums.
#include "devices/kernels/epilogue.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "devices/kernels/depthwise.hpp"
#include "devices/kernels/direct.hpp"
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

// Calls compute(epilogue, out) for each light activation, with and without a map that is added.
template <class Compute>
void check_epilogues(Random& random, Span rows, Span columns, int32_t channels,
                     const Compute& compute) {
  Map sums(rows, columns, channels);
  compute(Epilogue{}, sums);
  const Map added = random_map(random, rows.size(), columns.size(), channels);
  const InputRows residual = added.input();
  for (const Activation& activation :
       {Activation{Kind::none}, Activation{Kind::relu}, Activation{Kind::leaky_relu, 0.1F},
        Activation{Kind::clip, -0.25F, 0.5F}}) {
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

TEST_CASE("what follows a depthwise convolution has the bytes of doing it afterwards") {
  Random random(32);
  for (const int32_t stride : {1, 2}) {
    for (const int32_t channels : {7, 32, 50}) {
      CAPTURE(stride);
      CAPTURE(channels);
      const Window window{3, stride, 1, 1, 1};
      const Layer layer = random_layer(random, {channels, 1, 3, 3, channels}, window, window);
      std::vector<float> packed(depthwise_floats(channels, 3, 3));
      pack_depthwise(channels, 3, 3, layer.weights.data(), layer.bias, packed.data());
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

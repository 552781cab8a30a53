// Depthwise convolution: the same bytes as XNNPACK, and the same bytes however the map is cut.
#include "devices/kernels/depthwise.hpp"

#include <doctest/doctest.h>

#include "tests/kernels/maps.hpp"
#include "tests/kernels/xnnpack_peer.hpp"

namespace shingle::kernels {
namespace {

struct Case {
  Layer layer;
  Map input, output;
  std::vector<float> packed;
};

Case random_case(Random& random, int32_t least = 0, int32_t most = 3) {
  const int32_t kernel = random.between(least, most) * 2 + 1, channels = random.between(2, 90);
  const auto window = [&] {
    return Window{kernel, random.between(1, 2), random.between(0, 4) ? 1 : 2,
                  random.between(0, kernel - 1), random.between(0, kernel - 1)};
  };
  const Window y = window(), x = window();
  const int32_t h = random.between(13, 24), w = random.between(13, 50);
  Layer layer = random_layer(random, {channels, 1, kernel, kernel, channels}, y, x);
  std::vector<float> packed(depthwise_floats(channels, kernel, kernel));
  pack_depthwise(channels, kernel, kernel, layer.weights.data(), layer.bias, packed.data());
  Map input = random_map(random, h, w, channels);
  Case c{std::move(layer), std::move(input),
         Map({0, output_size(y, h)}, {0, output_size(x, w)}, channels), std::move(packed)};
  depthwise_convolution({channels, y, x, c.packed.data()}, c.input.input(), c.output.output(), {});
  return c;
}

}  // namespace

TEST_CASE("depthwise convolution of 9 taps gives XNNPACK's bytes") {
  Random random(11);
  for (int32_t round = 0; round < 60; ++round) {
    const Case c = random_case(random, 1, 1);
    Map theirs(c.output.rows, c.output.columns, c.output.channels);
    REQUIRE(xnnpack_convolution(c.layer, c.input, theirs));
    INFO("round ", round, " kernel ", c.layer.x.kernel, " stride ", c.layer.y.stride,
         c.layer.x.stride, " dilation ", c.layer.y.dilation, c.layer.x.dilation, " channels ",
         c.output.channels);
    CHECK(differing(c.output, theirs) == 0);
  }
}

TEST_CASE("depthwise convolution agrees with double") {
  Random random(12);
  const Case c = random_case(random);
  for (int32_t i = 0; i < 200; ++i) {
    const int32_t y = random.between(0, c.output.rows.end - 1),
                  x = random.between(0, c.output.columns.end - 1),
                  o = random.between(0, c.output.channels - 1);
    CHECK(c.output.pixel(y, x)[o] ==
          doctest::Approx(oracle(c.layer, c.input, y, x, o)).epsilon(1e-4));
  }
}

TEST_CASE("a window of a depthwise convolution has the bytes of the whole") {
  Random random(13);
  for (int32_t round = 0; round < 60; ++round) {
    const Case c = random_case(random);
    const Span rows = random_part(random, c.output.rows.end),
               columns = random_part(random, c.output.columns.end);
    const Map part = crop(c.input, needed(c.layer.y, rows, c.input.rows.end),
                          needed(c.layer.x, columns, c.input.columns.end));
    Map out(rows, columns, c.output.channels);
    depthwise_convolution({c.output.channels, c.layer.y, c.layer.x, c.packed.data()}, part.input(),
                          out.output(), {});
    INFO("round ", round);
    CHECK(differing(out, c.output) == 0);
  }
}

}  // namespace shingle::kernels

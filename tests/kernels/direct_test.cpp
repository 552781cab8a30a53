// Direct convolution: close to a computation in double, the same bytes as XNNPACK, and the same
// bytes however the map is cut.
#include "devices/kernels/direct.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/kernels/maps.hpp"
#include "tests/kernels/xnnpack_peer.hpp"

namespace shingle::kernels {
namespace {

struct Case {
  Layer layer;
  Map input, output;
};

Case random_case(Random& random) {
  const int32_t kernel_y = random.between(1, 5), kernel_x = random.between(1, 5);
  const int32_t groups = random.between(0, 3) ? 1 : random.between(2, 4);
  const auto window = [&](int32_t kernel) {
    return Window{kernel, random.between(1, 3), random.between(1, 2), random.between(0, kernel - 1),
                  random.between(0, kernel - 1)};
  };
  const FilterShape filter{groups * random.between(1, random.between(0, 2) ? 70 / groups : 3),
                           random.between(1, 40), kernel_y, kernel_x, groups};
  const Window y = window(kernel_y), x = window(kernel_x);
  const int32_t h = random.between(9, 24), w = random.between(9, 50);
  Layer layer = random_layer(random, filter, y, x);
  Map input = random_map(random, h, w, filter.inputs * groups);
  return {std::move(layer), std::move(input),
          Map({0, output_size(y, h)}, {0, output_size(x, w)}, filter.outputs)};
}

struct Packed {
  std::vector<float> floats;
  explicit Packed(const Layer& l) : floats(packed_floats(l.filter)) {
    pack(l.filter, l.weights.data(), l.bias, floats.data());
  }
};

void run(const Layer& l, const Packed& packed, const Map& in, const Map& out,
         const Epilogue& epilogue = {}, int32_t batch = usual_batch) {
  const Scratch scratch(direct_scratch_floats(l.filter, batch));
  direct_convolution({l.filter, l.y, l.x, packed.floats.data(), batch}, in.input(), out.output(),
                     epilogue, scratch.at);
}

}  // namespace

TEST_CASE("direct convolution agrees with double") {
  Random random(1);
  for (int32_t round = 0; round < 60; ++round) {
    Case c = random_case(random);
    run(c.layer, Packed(c.layer), c.input, c.output);
    double worst = 0;
    for (int32_t y = 0; y < c.output.rows.end; ++y)
      for (int32_t x = 0; x < c.output.columns.end; ++x)
        for (int32_t o = 0; o < c.layer.filter.outputs; ++o)
          worst = std::max(
              worst, std::abs(oracle(c.layer, c.input, y, x, o) - double{c.output.pixel(y, x)[o]}));
    INFO("round ", round);
    CHECK(worst < 1e-4);
  }
}

TEST_CASE("direct convolution gives XNNPACK's bytes") {
  Random random(2);
  for (int32_t round = 0; round < 60; ++round) {
    Case c = random_case(random);
    run(c.layer, Packed(c.layer), c.input, c.output);
    Map theirs(c.output.rows, c.output.columns, c.layer.filter.outputs);
    REQUIRE(xnnpack_convolution(c.layer, c.input, theirs));
    INFO("round ", round);
    CHECK(differing(c.output, theirs) == 0);
  }
}

TEST_CASE("a window of a direct convolution has the bytes of the whole, in batches of any size") {
  Random random(3);
  for (int32_t round = 0; round < 100; ++round) {
    Case c = random_case(random);
    const Packed packed(c.layer);
    run(c.layer, packed, c.input, c.output);
    const Span rows = random_part(random, c.output.rows.end),
               columns = random_part(random, c.output.columns.end);
    const Map part = crop(c.input, needed(c.layer.y, rows, c.input.rows.end),
                          needed(c.layer.x, columns, c.input.columns.end));
    Map out(rows, columns, c.layer.filter.outputs);
    run(c.layer, packed, part, out, {}, random.between(1, max_batch));
    INFO("round ", round);
    CHECK(differing(out, c.output) == 0);
  }
}

TEST_CASE("taps that only read padding change no bit, whatever window they are left out of") {
  Random random(6);
  for (int32_t round = 0; round < 60; ++round) {
    const int32_t across = random.between(2, 40), down = random.between(2, 40);
    const Window y{3, 1, down, down, down}, x{3, 1, across, across, across};
    const FilterShape filter{random.between(1, 40), random.between(1, 40), 3, 3, 1};
    Layer layer = random_layer(random, filter, y, x);
    const Map input =
        random_map(random, random.between(3, 14), random.between(3, 40), filter.inputs);
    Map whole(input.rows, input.columns, filter.outputs);
    Map theirs(input.rows, input.columns, filter.outputs);
    run(layer, Packed(layer), input, whole);
    REQUIRE(xnnpack_convolution(layer, input, theirs));
    INFO("round ", round);
    // One channel to one is a depthwise convolution to XNNPACK, and AArch64's adds in two parts.
    if (filter.inputs > 1 || filter.outputs > 1) CHECK(differing(whole, theirs) == 0);
    layer.bias.assign(layer.bias.size(), -0.0F);  // and sums of zeros are 0 everywhere
    const Packed packed(layer);
    Map zeros(input.rows, input.columns, filter.inputs),
        zero(input.rows, input.columns, filter.outputs);
    std::fill(zeros.data.begin(), zeros.data.end(), 0.0F);
    std::fill(zero.data.begin(), zero.data.end(), 0.0F);
    run(layer, packed, zeros, whole);
    CHECK(differing(whole, zero) == 0);
    run(layer, packed, input, whole);
    const Span rows = random_part(random, input.rows.end),
               columns = random_part(random, input.columns.end);
    const Map part =
        crop(input, needed(y, rows, input.rows.end), needed(x, columns, input.columns.end));
    Map out(rows, columns, filter.outputs);
    run(layer, packed, part, out, {}, random.between(1, max_batch));
    CHECK(differing(out, whole) == 0);
  }
}

TEST_CASE(
    "a max-pool fused into a direct convolution gives the bytes of a separate pass, in any "
    "window") {
  Random random(5);
  for (int32_t round = 0; round < 60; ++round) {
    Case c = random_case(random);
    if (c.output.rows.end < 2 || c.output.columns.end < 2) continue;
    const Packed packed(c.layer);
    const Epilogue epilogue{{Activation::Kind::leaky_relu, 0.1F}};
    run(c.layer, packed, c.input, c.output, epilogue);
    const int32_t top = random.between(0, c.output.rows.end / 2 - 1),
                  left = random.between(0, c.output.columns.end / 2 - 1);
    const Map pooled({top, c.output.rows.end / 2}, {left, c.output.columns.end / 2},
                     c.output.channels);
    const int32_t batch = random.between(1, max_batch);
    const Scratch scratch(direct_scratch_floats(c.layer.filter, batch));
    direct_convolution_pooled({c.layer.filter, c.layer.y, c.layer.x, packed.floats.data(), batch},
                              c.input.input(), pooled.output(), epilogue, scratch.at);
    INFO("round ", round);
    CHECK(differing(pooled, max_pooled(c.output, pooled)) == 0);
  }
}

TEST_CASE("activations and residuals follow the sums") {
  Random random(4);
  using Kind = Activation::Kind;
  for (int32_t round = 0; round < 60; ++round) {
    Case c = random_case(random);
    const Packed packed(c.layer);
    run(c.layer, packed, c.input, c.output);
    const Activation kinds[] = {
        {Kind::relu},    {Kind::leaky_relu, 0.1F},         {Kind::clip, -0.5F, 1.0F}, {Kind::silu},
        {Kind::sigmoid}, {Kind::hard_sigmoid, 0.2F, 0.5F}, {Kind::hard_swish}};
    const Activation a = kinds[round % 7];
    const Map residual =
        random_map(random, c.output.rows.end, c.output.columns.end, c.output.channels);
    const InputRows rows = residual.input();
    const bool has = random.between(0, 1), after = random.between(0, 1);
    Map out(c.output.rows, c.output.columns, c.output.channels);
    run(c.layer, packed, c.input, out, {a, has ? &rows : nullptr, after});
    double worst = 0;
    for (std::size_t i = 0; i < out.data.size(); ++i) {
      const double r = has ? double{residual.data[i]} : 0.0;
      const double want =
          activation_oracle(a, double{c.output.data[i]} + (after ? 0 : r)) + (after ? r : 0);
      worst = worse(worst, std::abs(want - double{out.data[i]}) / (1 + std::abs(want)));
    }
    INFO("round ", round);
    CHECK(worst < 1e-6);
  }
}

}  // namespace shingle::kernels

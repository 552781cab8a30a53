// Winograd F(4x4, 3x3): its error compared with double, and the same bytes with each cut, blocking
// and fusion.
#include "devices/kernels/winograd.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/kernels/maps.hpp"

namespace shingle::kernels {
namespace {

struct Case {
  Layer layer;
  Map input;
  std::vector<float> packed, transformed;

  WinogradConvolution kept() const {
    return {layer.filter, layer.y.pad_begin, layer.x.pad_begin, transformed.data(), true};
  }
  WinogradConvolution on_the_fly() const {
    return {layer.filter, layer.y.pad_begin, layer.x.pad_begin, packed.data(), false};
  }
  Map output() const {
    return Map({0, output_size(layer.y, input.rows.end)},
               {0, output_size(layer.x, input.columns.end)}, layer.filter.outputs);
  }
};

Case make_case(Random& random, int32_t inputs, int32_t outputs, int32_t h, int32_t w) {
  const auto window = [&] { return Window{3, 1, 1, random.between(0, 2), random.between(0, 2)}; };
  const FilterShape filter{outputs, inputs, 3, 3, 1};
  const Window y = window(), x = window();
  Layer layer = random_layer(random, filter, y, x);
  Case c{std::move(layer), random_map(random, h, w, inputs),
         std::vector<float>(packed_floats(filter)), std::vector<float>(winograd_floats(filter))};
  pack(filter, c.layer.weights.data(), c.layer.bias, c.packed.data());
  winograd_weights(filter, c.packed.data(), c.transformed.data());
  return c;
}

Case random_case(Random& random) {
  return make_case(random, random.between(1, 70), random.between(1, 80), random.between(3, 30),
                   random.between(3, 40));
}

void run(const WinogradConvolution& layer, const Map& in, const Map& out, WinogradCall call = {}) {
  if (call.blocking.tiles == 0) call.blocking = {13, 32};
  const Scratch scratch(winograd_scratch_floats(layer, call.blocking));
  winograd_convolution(layer, in.input(), out.output(), call, scratch.at);
}

Span rounded_out(Span s) { return {s.begin / 4 * 4, (s.end + 3) / 4 * 4}; }

}  // namespace

TEST_CASE("Winograd's error against double is at most 4e-6 rms, relative") {
  Random random(21);
  for (const int32_t inputs : {3, 32, 64, 256, 512}) {
    const Case c = make_case(random, inputs, 40, 18, 21);
    const Map out = c.output();
    run(c.kept(), c.input, out);
    double error = 0, size = 0;
    for (int32_t y = 0; y < out.rows.end; ++y)
      for (int32_t x = 0; x < out.columns.end; ++x)
        for (int32_t o = 0; o < out.channels; ++o) {
          const double want = oracle(c.layer, c.input, y, x, o);
          error += std::pow(want - double{out.pixel(y, x)[o]}, 2), size += want * want;
        }
    const double rms = std::sqrt(error / size);
    MESSAGE("inputs ", inputs, " rms ", rms);
    CHECK(rms < 4e-6);
  }
}

TEST_CASE(
    "a window of a Winograd convolution has the bytes of the whole, kept or on the fly, in any "
    "blocking") {
  Random random(22);
  for (int32_t round = 0; round < 120; ++round) {
    const Case c = random_case(random);
    const Map whole = c.output();
    run(c.kept(), c.input, whole);
    const Span rows = random_part(random, whole.rows.end),
               columns = random_part(random, whole.columns.end);
    const Map part = crop(c.input, needed(c.layer.y, rounded_out(rows), c.input.rows.end),
                          needed(c.layer.x, rounded_out(columns), c.input.columns.end));
    const Map out(rows, columns, c.layer.filter.outputs);
    WinogradCall call;
    call.blocking = {random.between(1, 30), random.between(1, 40), random.between(0, 80)};
    run(random.between(0, 1) ? c.kept() : c.on_the_fly(), part, out, call);
    INFO("round ", round);
    CHECK(differing(out, whole) == 0);
  }
}

TEST_CASE(
    "activation, residual and pooling fused into Winograd give the bytes of separate passes") {
  Random random(23);
  using Kind = Activation::Kind;
  const Activation kinds[] = {{},
                              {Kind::relu},
                              {Kind::leaky_relu, 0.1F},
                              {Kind::leaky_relu, -0.5F},
                              {Kind::clip, -0.5F, 1.0F},
                              {Kind::silu},
                              {Kind::hard_swish}};
  for (int32_t round = 0; round < 80; ++round) {
    const Case c = random_case(random);
    const Map plain = c.output();
    const Activation a = kinds[round % 7];
    const Map residual = random_map(random, plain.rows.end, plain.columns.end, plain.channels);
    const InputRows rows = residual.input();
    WinogradCall call;
    call.epilogue = {a, random.between(0, 1) ? &rows : nullptr, random.between(0, 1) == 1};
    run(c.kept(), c.input, plain, call);
    INFO("round ", round);
    if (!call.epilogue.residual) {
      const Map sums = c.output();
      run(c.kept(), c.input, sums);
      double worst = 0;
      for (std::size_t i = 0; i < sums.data.size(); ++i) {
        const double want = activation_oracle(a, double{sums.data[i]});
        worst = worse(worst, std::abs(want - double{plain.data[i]}) / (1 + std::abs(want)));
      }
      CHECK(worst < 1e-6);
    }
    if (plain.rows.end < 2 || plain.columns.end < 2) continue;
    if (call.epilogue.residual) continue;
    call.pool = true;
    const Map pooled({0, plain.rows.end / 2}, {0, plain.columns.end / 2}, plain.channels);
    run(c.kept(), c.input, pooled, call);
    CHECK(differing(pooled, max_pooled(plain, pooled)) == 0);
  }
}

}  // namespace shingle::kernels

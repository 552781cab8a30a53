// Transposed convolution in phases: close to scattered sums in double on every instruction set, and
// the same bytes however the map is cut.
#include "devices/kernels/transposed.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/kernels/every_target.hpp"
#include "tests/kernels/maps.hpp"

namespace shingle::kernels {
namespace {

struct Case {
  Layer layer;  // weights: [outputs][inputs of a group][kernel y][kernel x]
  bool depthwise = false;
  Map input, output;

  PhasedConvolution shape() const { return {layer.filter, layer.y, layer.x, depthwise, nullptr}; }
};

int32_t grown(const Window& w, int32_t size) {
  return (size - 1) * w.stride + (w.kernel - 1) * w.dilation + 1 - w.pad_begin - w.pad_end;
}

// Strides up to twice the kernel, where some phases have no tap; padding that takes whole taps
// away; outputs beyond all taps.
Window random_window(Random& random) {
  const int32_t kernel = random.between(1, 5);
  return {kernel, random.between(1, std::min(4, 2 * kernel)), random.between(1, 3),
          random.between(0, kernel - 1), random.between(0, kernel - 1)};
}

Case random_case(Random& random) {
  const Window y = random_window(random), x = random_window(random);
  const bool depthwise = random.between(0, 4) == 0;
  const int32_t channels = random.between(1, 50);
  FilterShape filter{channels, 1, y.kernel, x.kernel, channels};
  if (!depthwise)
    filter = {random.between(1, random.between(0, 2) ? 80 : 3), random.between(1, 40), y.kernel,
              x.kernel, 1};
  const int32_t h = random.between(5, 12), w = random.between(5, 30);
  Layer layer = random_layer(random, filter, y, x);
  Map input = random_map(random, h, w, filter.inputs * filter.groups);
  const int32_t height = std::max(1, grown(y, h) + random.between(0, y.stride - 1)),
                width = std::max(1, grown(x, w) + random.between(0, x.stride - 1));
  return {std::move(layer), depthwise, std::move(input),
          Map({0, height}, {0, width}, filter.outputs)};
}

// Packed from the last panel on: none counts on the one before it.
std::vector<float> packed(const Case& c) {
  const FilterShape& f = c.layer.filter;
  std::vector<float> floats(phased_floats(c.shape()), std::numeric_limits<float>::quiet_NaN());
  if (c.depthwise) {
    pack_depthwise_phases(c.shape(), c.layer.weights.data(), c.layer.bias, floats.data());
    return floats;
  }
  const int32_t each = f.inputs * f.kernel_y * f.kernel_x, wide = panel_channels();
  for (int32_t first = (f.outputs - 1) / wide * wide; first >= 0; first -= wide) {
    const Span part{first, std::min(f.outputs, first + wide)};
    const std::span<const float> bias(c.layer.bias.data() + first, c.layer.bias.data() + part.end);
    pack_phases(c.shape(), part, c.layer.weights.data() + first * each, bias, floats.data());
  }
  return floats;
}

void run(const Case& c, const std::vector<float>& weights, const Map& in, const Map& out,
         const Epilogue& epilogue = {}, int32_t batch = usual_batch, PanelRange panels = {}) {
  PhasedConvolution layer = c.shape();
  layer.packed = weights.data();
  layer.batch = batch;
  const Scratch scratch(phased_scratch_floats(layer));
  phased_convolution(layer, in.input(), out.output(), epilogue, scratch.at, panels);
}

// Every input is added to the outputs that it reaches, in double.
std::vector<double> scattered(const Case& c) {
  const FilterShape& f = c.layer.filter;
  const int32_t outputs = f.outputs / f.groups, width = c.output.columns.end;
  std::vector<double> sums;
  for (int32_t i = 0; i < c.output.rows.end * width; ++i)
    sums.insert(sums.end(), c.layer.bias.begin(), c.layer.bias.end());
  for (int32_t o = 0; o < f.outputs; ++o) {
    const float* weights = c.layer.weights.data() + o * f.inputs * f.kernel_y * f.kernel_x;
    for (int32_t iy = 0; iy < c.input.rows.end; ++iy)
      for (int32_t ix = 0; ix < c.input.columns.end; ++ix)
        for (int32_t t = 0; t < f.inputs * f.kernel_y * f.kernel_x; ++t) {
          const int32_t k = t / (f.kernel_y * f.kernel_x), ky = t / f.kernel_x % f.kernel_y,
                        kx = t % f.kernel_x;
          const int32_t y = iy * c.layer.y.stride + ky * c.layer.y.dilation - c.layer.y.pad_begin;
          const int32_t x = ix * c.layer.x.stride + kx * c.layer.x.dilation - c.layer.x.pad_begin;
          if (!c.output.holds(y, x)) continue;
          sums[static_cast<std::size_t>((y * width + x) * f.outputs + o)] +=
              double{c.input.pixel(iy, ix)[o / outputs * f.inputs + k]} * double{weights[t]};
        }
  }
  return sums;
}

// Calls check(case, packed weights) for random cases whose output is computed in one piece.
template <class Check>
void on_computed_cases(Random& random, int32_t rounds, const Check& check) {
  for (int32_t round = 0; round < rounds; ++round) {
    const Case c = random_case(random);
    const std::vector<float> weights = packed(c);
    run(c, weights, c.input, c.output);
    CAPTURE(round);
    check(c, weights);
  }
}

}  // namespace

TEST_CASE("a transposed convolution is what each input scatters, on every instruction set") {
  Random random(61);
  for (int32_t round = 0; round < 60; ++round) {
    const Case c = random_case(random);
    CAPTURE(round);
    REQUIRE(has_phases(c.layer.y, c.layer.x));
    const std::vector<double> exact = scattered(c);
    on_every_target([&] {
      std::fill(c.output.row[0], c.output.row[0] + c.output.data.size(), -77.0F);
      run(c, packed(c), c.input, c.output);
      double worst = 0;
      for (std::size_t i = 0; i < exact.size(); ++i)
        worst = worse(worst, std::abs(exact[i] - double{c.output.data[i]}));
      CHECK(worst < 1e-4);
    });
  }
}

TEST_CASE(
    "a window of a transposed convolution has the bytes of the whole, in batches of any size") {
  Random random(62);
  on_computed_cases(random, 200, [&](const Case& c, const std::vector<float>& weights) {
    const Span rows = random_part(random, c.output.rows.end),
               columns = random_part(random, c.output.columns.end);
    const Map part = crop(c.input, transposed_demand(c.layer.y, rows, c.input.rows.end),
                          transposed_demand(c.layer.x, columns, c.input.columns.end));
    Map out(rows, columns, c.output.channels);
    run(c, weights, part, out, {}, random.between(1, max_batch));
    CHECK(differing(out, c.output) == 0);
  });
}

TEST_CASE("panels of a transposed convolution can be computed one by one") {
  Random random(63);
  on_computed_cases(random, 60, [](const Case& c, const std::vector<float>& weights) {
    if (c.depthwise) return;
    Map out(c.output.rows, c.output.columns, c.output.channels);
    for (int32_t panel = 0; panel * panel_channels() < c.output.channels; ++panel)
      run(c, weights, c.input, out, {}, usual_batch, {panel, panel + 1});
    CHECK(differing(out, c.output) == 0);
  });
}

TEST_CASE("activations and a map that is added follow the sums of every phase") {
  Random random(64);
  on_computed_cases(random, 60, [&](const Case& c, const std::vector<float>& weights) {
    const Map added =
        random_map(random, c.output.rows.end, c.output.columns.end, c.output.channels);
    const InputRows rows = added.input();
    const bool after = random.between(0, 1) == 1;
    Map out(c.output.rows, c.output.columns, c.output.channels);
    run(c, weights, c.input, out, {{Activation::Kind::relu}, &rows, after});
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < out.data.size(); ++i) {
      const float sum = c.output.data[i], r = added.data[i];
      wrong += out.data[i] != (after ? std::max(sum, 0.0F) + r : std::max(sum + r, 0.0F));
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("an infinite input reaches only the outputs that its taps reach") {
  Random random(65);
  const Window window{2, 4, 1, 0, 0};  // three phases of four along an axis have one tap or none
  Case c{random_layer(random, {20, 3, 2, 2, 1}, window, window), false, random_map(random, 3, 5, 3),
         Map({0, 10}, {0, 18}, 20)};
  c.input.pixel(1, 2)[0] = std::numeric_limits<float>::infinity();
  run(c, packed(c), c.input, c.output);
  for (int32_t y = 0; y < 10; ++y)
    for (int32_t x = 0; x < 18; ++x)
      CHECK(std::isfinite(c.output.pixel(y, x)[0]) == !((y == 4 || y == 5) && (x == 8 || x == 9)));
}

TEST_CASE("windows whose phases the kernels cannot hold are refused") {
  const auto square = [](Window w) { return has_phases(w, w); };
  CHECK(square({2, 2, 1, 0, 0}));
  CHECK(square({64, 32, 1, 16, 16}));
  CHECK(square({1, 2, 1, 0, 0}));
  CHECK_FALSE(square({1, 3, 1, 0, 0}));     // most phases without a tap
  CHECK_FALSE(square({100, 50, 1, 0, 0}));  // 2500 phases
  CHECK_FALSE(square({24, 2, 1, 0, 0}));    // 144 taps in a phase
  CHECK_FALSE(square({12, 2, 2, 0, 0}));    // the dilation leaves all taps to one phase
}

}  // namespace shingle::kernels

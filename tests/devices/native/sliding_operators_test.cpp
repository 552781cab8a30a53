// Convolutions and pooling against their definitions, written here once more in another way: padded
// arrays and scattered sums, in double.
#include <doctest/doctest.h>

#include <cmath>

#include "devices/executor/view.hpp"
#include "tests/devices/definition.hpp"
#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The input's value at (y, x, c), or `outside` off the map.
double value_or(const Map& map, Shape shape, int64_t y, int64_t x, int32_t c, double outside) {
  if (y < 0 || y >= shape.h || x < 0 || x >= shape.w) return outside;
  return static_cast<double>(map.at(static_cast<int32_t>(y), static_cast<int32_t>(x), c));
}

Window random_window(networks::Random& random) {
  return {.kernel = random.between(1, 4),
          .stride = random.between(1, 3),
          .dilation = random.between(1, 2),
          .pad_begin = random.between(0, 3),
          .pad_end = random.between(0, 3)};
}

struct Transposed {
  Model model;
  Shape in, out;
  int32_t group_inputs = 1, group_outputs = 1;
};

Transposed random_transposed(networks::Random& random) {
  const int32_t groups = random.between(1, 2);
  Transposed result{.model = {},
                    .in = {},
                    .out = {},
                    .group_inputs = random.between(1, 3),
                    .group_outputs = random.between(1, 5)};
  result.in = {random.between(3, 6), random.between(3, 6), groups * result.group_inputs};
  const auto window = [&] {
    return Window{.kernel = random.between(1, 4),
                  .stride = random.between(1, 3),
                  .dilation = random.between(1, 2),
                  .pad_begin = random.between(0, 1),
                  .pad_end = 0};
  };
  TransposedConvolution op{
      .y = window(), .x = window(), .groups = groups, .weights = {}, .bias = std::nullopt};
  const auto grown = [](const Window& w, int32_t size) {
    return (size - 1) * w.stride + extent(w) - w.pad_begin;
  };
  result.out = {grown(op.y, result.in.h), grown(op.x, result.in.w), groups * result.group_outputs};
  const int64_t taps = int64_t{op.y.kernel} * op.x.kernel;
  const TensorId input = add_input(result.model, "input", result.in);
  op.weights = add_constant(
      result.model, random_values(result.in.c * result.group_outputs * taps, random.next()));
  op.bias = add_constant(result.model, random_values(result.out.c, random.next()));
  add_output(result.model, "out", add_layer(result.model, "up", op, {input}, {}, result.out));
  return result;
}

// Adds what one input element gives to the outputs in its reach.
void scatter(const Transposed& example, double value, int32_t iy, int32_t ix, int32_t ic,
             std::vector<double>& sums) {
  const auto& op = std::get<TransposedConvolution>(example.model.layers[0].op);
  const FloatView weights = example.model.at(op.weights);
  for (int32_t oc = 0; oc < example.group_outputs; ++oc) {
    for (int32_t ky = 0; ky < op.y.kernel; ++ky) {
      for (int32_t kx = 0; kx < op.x.kernel; ++kx) {
        const int32_t y = iy * op.y.stride - op.y.pad_begin + ky * op.y.dilation;
        const int32_t x = ix * op.x.stride - op.x.pad_begin + kx * op.x.dilation;
        if (y < 0 || y >= example.out.h || x < 0 || x >= example.out.w) continue;
        const int32_t c = ic / example.group_inputs * example.group_outputs + oc;
        const int64_t place =
            ((int64_t{ic} * example.group_outputs + oc) * op.y.kernel + ky) * op.x.kernel + kx;
        sums[static_cast<size_t>(offset_in(whole(example.out), y, x, c))] +=
            value * static_cast<double>(weights[place]);
      }
    }
  }
}

std::vector<double> scattered(const Transposed& example, const Map& input) {
  const auto& op = std::get<TransposedConvolution>(example.model.layers[0].op);
  std::vector<double> sums(static_cast<size_t>(example.out.elements()));
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] =
        static_cast<double>(example.model.at(*op.bias)[static_cast<int64_t>(i) % example.out.c]);
  }
  for (int32_t y = 0; y < example.in.h; ++y) {
    for (int32_t x = 0; x < example.in.w; ++x) {
      for (int32_t c = 0; c < example.in.c; ++c) {
        scatter(example, static_cast<double>(input.at(y, x, c)), y, x, c, sums);
      }
    }
  }
  return sums;
}

}  // namespace

TEST_CASE("Convolution sums its taps over a map surrounded by zeros") {
  networks::Random random(1);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const int32_t groups = random.between(1, 3), inputs = random.between(1, 3),
                  outputs = random.between(1, 70);
    const Shape in{random.between(8, 12), random.between(8, 12), groups * inputs};
    const ConvolutionLayer layer{.y = random_window(random),
                                 .x = random_window(random),
                                 .groups = groups,
                                 .outputs = groups * outputs,
                                 .activation = {}};
    const Model model = convolution_model(in, layer, random.next());
    const auto& op = std::get<Convolution>(model.layers[0].op);
    const FloatView weights = model.at(op.weights), bias = model.at(*op.bias);
    const std::vector<Map> input = random_inputs(model, random.next());
    check_everywhere(reference_result(model, input), [&](int32_t y, int32_t x, int32_t c) {
      double sum = static_cast<double>(bias[c]);
      for (int32_t i = 0; i < inputs; ++i) {
        for (int32_t ky = 0; ky < op.y.kernel; ++ky) {
          for (int32_t kx = 0; kx < op.x.kernel; ++kx) {
            const int64_t place = ((int64_t{c} * inputs + i) * op.y.kernel + ky) * op.x.kernel + kx;
            sum += static_cast<double>(weights[place]) *
                   value_or(input[0], in, y * op.y.stride - op.y.pad_begin + ky * op.y.dilation,
                            x * op.x.stride - op.x.pad_begin + kx * op.x.dilation,
                            c / outputs * inputs + i, 0.0);
          }
        }
      }
      return sum;
    });
  }
}

TEST_CASE("Transposed convolution scatters each input over the outputs that it reaches") {
  networks::Random random(2);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const Transposed example = random_transposed(random);
    const std::vector<Map> input = random_inputs(example.model, random.next());
    const std::vector<double> sums = scattered(example, input[0]);
    check_everywhere(reference_result(example.model, input), [&](int32_t y, int32_t x, int32_t c) {
      return sums[static_cast<size_t>(offset_in(whole(example.out), y, x, c))];
    });
  }
}

TEST_CASE("Pooling looks at a padded map, and averages divide by the taps that count") {
  networks::Random random(3);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    Pooling op{.kind = random.chance(0.5) ? Pooling::Kind::max : Pooling::Kind::average,
               .y = random_window(random),
               .x = random_window(random),
               .count_padding = random.chance(0.5)};
    const Shape in{random.between(8, 11), random.between(8, 11), random.between(1, 70)};
    Shape out{output_size(op.y, in.h), output_size(op.x, in.w), in.c};
    // Half of them round up: the last window then reaches beyond the declared padding.
    const auto ceil_size = [](const Window& w, int32_t size) {
      const int32_t room = size + w.pad_begin + w.pad_end - extent(w);
      const int32_t count = (room + w.stride - 1) / w.stride + 1;
      return (count - 1) * w.stride < size + w.pad_begin ? count : count - 1;
    };
    if (random.chance(0.5)) out = {ceil_size(op.y, in.h), ceil_size(op.x, in.w), in.c};
    Model model;
    add_output(model, "out", add_layer(model, "pool", op, {add_input(model, "in", in)}, {}, out));
    const std::vector<Map> input = random_inputs(model, random.next());
    check_everywhere(reference_result(model, input), [&](int32_t y, int32_t x, int32_t c) {
      double sum = 0.0, largest = -infinity;
      int on_map = 0, declared = 0;
      for (int32_t ky = 0; ky < op.y.kernel; ++ky) {
        for (int32_t kx = 0; kx < op.x.kernel; ++kx) {
          const int32_t iy = y * op.y.stride - op.y.pad_begin + ky * op.y.dilation;
          const int32_t ix = x * op.x.stride - op.x.pad_begin + kx * op.x.dilation;
          if (iy < in.h + op.y.pad_end && ix < in.w + op.x.pad_end) ++declared;
          if (iy >= 0 && iy < in.h && ix >= 0 && ix < in.w) ++on_map;
          sum += value_or(input[0], in, iy, ix, c, 0.0);
          largest = std::max(largest, value_or(input[0], in, iy, ix, c, -infinity));
        }
      }
      if (op.kind == Pooling::Kind::max) return largest;
      const int divisor = op.count_padding ? declared : on_map;
      return divisor == 0 ? 0.0 : sum / divisor;
    });
  }
}

TEST_CASE("Max-pool after a leaky activation of negative values does not see its padding") {
  for (const bool native : {false, true}) {
    Model model;
    const TensorId input = add_input(model, "in", {4, 4, 8});
    const TensorId leaky = add_layer(model, "leaky", Elementwise{}, {input},
                                     {.kind = Activation::Kind::leaky_relu, .alpha = 0.1F});
    const Window window{.kernel = 3, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 1};
    add_output(model, "out",
               add_layer(model, "pool",
                         Pooling{.kind = Pooling::Kind::max, .y = window, .x = window}, {leaky}));
    const std::vector<Map> input_map{{whole({4, 4, 8}), std::vector<float>(128, -5.0F)}};
    const std::unique_ptr<Executor> executor = make_executor(native);
    const Map result = run_whole(*executor, model, input_map).at(0);
    check_everywhere(
        result, [](int32_t, int32_t, int32_t) { return static_cast<double>(-5.0F * 0.1F); }, 0.0);
  }
}

}  // namespace shingle::tests

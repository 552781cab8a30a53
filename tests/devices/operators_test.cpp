// The plain operators against their definitions, written here once more in another way: padded
// arrays, scattered sums, formulas in double.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "devices/reference.hpp"
#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The input's value at (y, x, c), or `outside` off the map.
double value_or(const Map& map, Shape shape, int64_t y, int64_t x, int32_t c, double outside) {
  if (y < 0 || y >= shape.h || x < 0 || x >= shape.w) return outside;
  return static_cast<double>(map.at(static_cast<int32_t>(y), static_cast<int32_t>(x), c));
}

void check_everywhere(const Map& computed,
                      const std::function<double(int32_t, int32_t, int32_t)>& exact,
                      double tolerance = 1e-5) {
  const Region& region = computed.region;
  double worst = 0.0;
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; ++x) {
      for (int32_t c = region.c.begin; c < region.c.end; ++c) {
        const double expected = exact(y, x, c), value = static_cast<double>(computed.at(y, x, c));
        if (value == expected) continue;
        worst = std::max(worst, std::fabs(value - expected));
      }
    }
  }
  CHECK(worst <= tolerance);
}

Map reference_result(const Model& model, const std::vector<Map>& inputs) {
  ReferenceExecutor reference;
  return run_whole(reference, model, inputs).at(0);
}

Window random_window(networks::Random& random) {
  return {.kernel = random.between(1, 4),
          .stride = random.between(1, 3),
          .dilation = random.between(1, 2),
          .pad_begin = random.between(0, 3),
          .pad_end = random.between(0, 3)};
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
    const int32_t groups = random.between(1, 2), inputs = random.between(1, 3),
                  outputs = random.between(1, 5);
    const Shape in{random.between(2, 6), random.between(2, 6), groups * inputs};
    const auto window = [&] {
      return Window{.kernel = random.between(1, 4),
                    .stride = random.between(1, 3),
                    .dilation = random.between(1, 2),
                    .pad_begin = random.between(0, 1),
                    .pad_end = 0};
    };
    const TransposedConvolution axes{
        .y = window(), .x = window(), .groups = groups, .weights = {}, .bias = {}};
    const auto grown = [](const Window& w, int32_t size) {
      return (size - 1) * w.stride + extent(w) - w.pad_begin;
    };
    const Shape out{grown(axes.y, in.h), grown(axes.x, in.w), groups * outputs};
    if (out.h < 1 || out.w < 1) continue;
    Model model;
    const TensorId input = add_input(model, "input", in);
    TransposedConvolution op = axes;
    const int64_t taps = int64_t{op.y.kernel} * op.x.kernel;
    op.weights = add_constant(model, random_values(in.c * outputs * taps, random.next()));
    op.bias = add_constant(model, random_values(out.c, random.next()));
    add_output(model, "out", add_layer(model, "up", op, {input}, {}, out));
    const std::vector<Map> inputs_of = random_inputs(model, random.next());

    Map expected{whole(out), {}};
    std::vector<double> sums(static_cast<size_t>(out.elements()));
    for (int32_t y = 0; y < out.h; ++y)
      for (int32_t x = 0; x < out.w; ++x)
        for (int32_t c = 0; c < out.c; ++c)
          sums[static_cast<size_t>((y * out.w + x) * out.c + c)] =
              static_cast<double>(model.at(*op.bias)[c]);
    for (int32_t iy = 0; iy < in.h; ++iy) {
      for (int32_t ix = 0; ix < in.w; ++ix) {
        for (int32_t ic = 0; ic < in.c; ++ic) {
          for (int32_t oc = 0; oc < outputs; ++oc) {
            for (int32_t ky = 0; ky < op.y.kernel; ++ky) {
              for (int32_t kx = 0; kx < op.x.kernel; ++kx) {
                const int32_t y = iy * op.y.stride - op.y.pad_begin + ky * op.y.dilation;
                const int32_t x = ix * op.x.stride - op.x.pad_begin + kx * op.x.dilation;
                if (y < 0 || y >= out.h || x < 0 || x >= out.w) continue;
                const int32_t c = ic / inputs * outputs + oc;
                const int64_t place =
                    ((int64_t{ic} * outputs + oc) * op.y.kernel + ky) * op.x.kernel + kx;
                sums[static_cast<size_t>((y * out.w + x) * out.c + c)] +=
                    static_cast<double>(model.at(op.weights)[place]) *
                    static_cast<double>(inputs_of[0].at(iy, ix, ic));
              }
            }
          }
        }
      }
    }
    check_everywhere(reference_result(model, inputs_of), [&](int32_t y, int32_t x, int32_t c) {
      return sums[static_cast<size_t>((y * out.w + x) * out.c + c)];
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
  for (const bool on_xnnpack : {false, true}) {
    Model model;
    const TensorId input = add_input(model, "in", {4, 4, 8});
    const TensorId leaky = add_layer(model, "leaky", Elementwise{}, {input},
                                     {.kind = Activation::Kind::leaky_relu, .alpha = 0.1F});
    const Window window{.kernel = 3, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 1};
    add_output(model, "out",
               add_layer(model, "pool",
                         Pooling{.kind = Pooling::Kind::max, .y = window, .x = window}, {leaky}));
    const std::vector<Map> input_map{{whole({4, 4, 8}), std::vector<float>(128, -5.0F)}};
    const std::unique_ptr<Executor> executor = make_executor(on_xnnpack);
    const Map result = run_whole(*executor, model, input_map).at(0);
    check_everywhere(
        result, [](int32_t, int32_t, int32_t) { return static_cast<double>(-5.0F * 0.1F); }, 0.0);
  }
}

TEST_CASE("Reductions gather whole axes") {
  networks::Random random(4);
  for (int flags = 1; flags < 8; ++flags) {
    for (auto kind : {Reduction::Kind::mean, Reduction::Kind::max, Reduction::Kind::sum}) {
      CAPTURE(flags);
      CAPTURE(static_cast<int>(kind));
      const Reduction op{kind, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};
      const Shape in{5, 6, 70};
      Model model;
      add_output(model, "out", add_layer(model, "reduce", op, {add_input(model, "in", in)}));
      const std::vector<Map> input = random_inputs(model, random.next());
      check_everywhere(reference_result(model, input), [&](int32_t y, int32_t x, int32_t c) {
        double sum = 0.0, largest = -infinity;
        int count = 0;
        for (int32_t iy = 0; iy < in.h; ++iy) {
          for (int32_t ix = 0; ix < in.w; ++ix) {
            for (int32_t ic = 0; ic < in.c; ++ic) {
              if ((!op.y && iy != y) || (!op.x && ix != x) || (!op.c && ic != c)) continue;
              const double value = static_cast<double>(input[0].at(iy, ix, ic));
              sum += value;
              largest = std::max(largest, value);
              ++count;
            }
          }
        }
        if (kind == Reduction::Kind::max) return largest;
        return kind == Reduction::Kind::mean ? sum / count : sum;
      });
    }
  }
}

TEST_CASE("Softmax sums to one along its axis, and its logarithm is its logarithm") {
  for (Axis axis : {Axis::y, Axis::x, Axis::c}) {
    for (bool log : {false, true}) {
      CAPTURE(static_cast<int>(axis));
      CAPTURE(log);
      const Shape in{4, 5, 37};
      Model model;
      add_output(model, "out",
                 add_layer(model, "softmax", Softmax{axis, log}, {add_input(model, "in", in)}));
      std::vector<Map> input = random_inputs(model, 5);
      for (float& value : input[0].values) value *= 20.0F;
      check_everywhere(reference_result(model, input), [&](int32_t y, int32_t x, int32_t c) {
        double sum = 0.0;
        const int32_t size = axis == Axis::y ? in.h : axis == Axis::x ? in.w : in.c;
        for (int32_t i = 0; i < size; ++i) {
          sum += std::exp(static_cast<double>(input[0].at(
              axis == Axis::y ? i : y, axis == Axis::x ? i : x, axis == Axis::c ? i : c)));
        }
        const double value = static_cast<double>(input[0].at(y, x, c));
        return log ? value - std::log(sum) : std::exp(value) / sum;
      });
    }
  }
}

TEST_CASE("Linear resize blends the two nearest inputs of each axis") {
  Model model;
  const Resize op{.kind = Resize::Kind::linear,
                  .coordinates = Resize::Coordinates::half_pixel,
                  .rounding = Resize::Rounding::prefer_floor,
                  .scale_y = 1.0F,
                  .scale_x = 2.0F};
  add_output(model, "out",
             add_layer(model, "resize", op, {add_input(model, "in", {1, 3, 1})}, {}, {1, 6, 1}));
  const Map result = reference_result(model, {{whole({1, 3, 1}), {0.0F, 4.0F, 8.0F}}});
  CHECK(result.values == std::vector<float>{0.0F, 1.0F, 3.0F, 5.0F, 7.0F, 8.0F});
}

TEST_CASE("Operators that move elements put each where its definition says") {
  const Shape in{4, 6, 8};
  const auto result_of = [&](Operator op, Shape out, const Map& input) {
    Model model;
    add_output(model, "out",
               add_layer(model, "move", std::move(op), {add_input(model, "in", in)}, {}, out));
    return reference_result(model, {input});
  };
  const Map input = random_map(in, 6);
  const auto exact = [&](int32_t y, int32_t x, int32_t c) {
    return static_cast<double>(input.at(y, x, c));
  };
  SUBCASE("depth to space by two") {
    const Rearrange op{.factors = {4, 6, 2, 2, 2},
                       .input_axes = {{{0}, {1}, {2, 3, 4}}},
                       .output_axes = {{{0, 2}, {1, 3}, {4}}}};
    check_everywhere(
        result_of(op, {8, 12, 2}, input),
        [&](int32_t y, int32_t x, int32_t c) {
          return exact(y / 2, x / 2, y % 2 * 4 + x % 2 * 2 + c);
        },
        0.0);
  }
  SUBCASE("channel shuffle") {
    const Rearrange op{.factors = {4, 6, 2, 4},
                       .input_axes = {{{0}, {1}, {2, 3}}},
                       .output_axes = {{{0}, {1}, {3, 2}}}};
    check_everywhere(
        result_of(op, in, input),
        [&](int32_t y, int32_t x, int32_t c) { return exact(y, x, c % 2 * 4 + c / 2); }, 0.0);
  }
  SUBCASE("a transposition of y and c") {
    const Rearrange op{
        .factors = {4, 6, 8}, .input_axes = {{{0}, {1}, {2}}}, .output_axes = {{{2}, {1}, {0}}}};
    check_everywhere(
        result_of(op, {8, 6, 4}, input),
        [&](int32_t y, int32_t x, int32_t c) { return exact(c, x, y); }, 0.0);
  }
  SUBCASE("a slice with a negative step") {
    const StridedSlice op{.begin = {1, 5, 0}, .step = {2, -2, 3}};
    check_everywhere(
        result_of(op, {2, 3, 3}, input),
        [&](int32_t y, int32_t x, int32_t c) { return exact(1 + 2 * y, 5 - 2 * x, 3 * c); }, 0.0);
  }
  SUBCASE("gathered columns") {
    const Gather op{.axis = Axis::x, .indices = {5, 0, 0, 2}};
    check_everywhere(
        result_of(op, {4, 4, 8}, input),
        [&](int32_t y, int32_t x, int32_t c) {
          return exact(y, op.indices[static_cast<size_t>(x)], c);
        },
        0.0);
  }
  SUBCASE("padding on all axes") {
    const Pad op{.before = {1, 0, 2}, .after = {0, 2, 1}, .value = 7.0F};
    check_everywhere(
        result_of(op, {5, 8, 11}, input),
        [&](int32_t y, int32_t x, int32_t c) {
          const bool on_map = y >= 1 && x < 6 && c >= 2 && c < 10;
          return on_map ? exact(y - 1, x, c - 2) : 7.0;
        },
        0.0);
  }
  SUBCASE("nearest resize") {
    const Resize op{.kind = Resize::Kind::nearest,
                    .coordinates = Resize::Coordinates::asymmetric,
                    .rounding = Resize::Rounding::floor,
                    .scale_y = 2.0F,
                    .scale_x = 3.0F};
    check_everywhere(
        result_of(op, {8, 18, 8}, input),
        [&](int32_t y, int32_t x, int32_t c) { return exact(y / 2, x / 3, c); }, 0.0);
  }
}

TEST_CASE("Concat lays its inputs one behind the other on any axis") {
  for (Axis axis : {Axis::y, Axis::x, Axis::c}) {
    Model model;
    Shape second{3, 4, 5};
    (axis == Axis::y ? second.h : axis == Axis::x ? second.w : second.c) = 2;
    const TensorId a = add_input(model, "a", {3, 4, 5}), b = add_input(model, "b", second);
    add_output(model, "out", add_layer(model, "concat", Concat{axis}, {a, b}));
    const std::vector<Map> inputs = random_inputs(model, 8);
    check_everywhere(
        reference_result(model, inputs),
        [&](int32_t y, int32_t x, int32_t c) {
          if (axis == Axis::y && y >= 3) return static_cast<double>(inputs[1].at(y - 3, x, c));
          if (axis == Axis::x && x >= 4) return static_cast<double>(inputs[1].at(y, x - 4, c));
          if (axis == Axis::c && c >= 5) return static_cast<double>(inputs[1].at(y, x, c - 5));
          return static_cast<double>(inputs[0].at(y, x, c));
        },
        0.0);
  }
}

TEST_CASE("Binary operators broadcast every axis of size one, constants included") {
  const Shape out{3, 4, 5};
  for (int axes = 0; axes < 8; ++axes) {
    CAPTURE(axes);
    const Shape small{(axes & 1) ? 1 : 3, (axes & 2) ? 1 : 4, (axes & 4) ? 1 : 5};
    Model model;
    const TensorId a = add_input(model, "a", out);
    const std::vector<float> values = random_values(small.elements(), 9);
    const TensorId b = add_constant_tensor(model, "b", small, values);
    add_output(model, "out", add_layer(model, "sub", Binary{Binary::Kind::sub}, {b, a}));
    const std::vector<Map> input = random_inputs(model, 10);
    const Map constant{whole(small), values};
    check_everywhere(
        reference_result(model, input),
        [&](int32_t y, int32_t x, int32_t c) {
          return static_cast<double>(constant.at(y % small.h, x % small.w, c % small.c) -
                                     input[0].at(y, x, c));
        },
        0.0);
  }
}

TEST_CASE("Convert reads bytes and gives scaled floats") {
  for (const bool on_xnnpack : {false, true}) {
    Model model;
    const TensorId input = add_input(model, "image", {2, 3, 3}, ElementType::u8);
    add_output(
        model, "out",
        add_layer(model, "convert", Convert{{0.5F, 1.0F, 2.0F}, {1.0F, 0.0F, -3.0F}}, {input}));
    std::vector<std::byte> image;
    for (int i = 0; i < 18; ++i) image.push_back(static_cast<std::byte>(i * 14));
    const TileProgram program = whole_program(model);
    const std::unique_ptr<Executor> executor = make_executor(on_xnnpack);
    REQUIRE(executor->prepare(model, std::span(&program, 1)).ok());
    Map out{whole({2, 3, 3}), std::vector<float>(18)};
    const ConstTensorView in{image.data(), whole({2, 3, 3}), ElementType::u8};
    const TensorView target = out.view();
    REQUIRE(executor->compute(program, std::span(&in, 1), std::span(&target, 1)).ok());
    const float scale[] = {0.5F, 1.0F, 2.0F}, offset[] = {1.0F, 0.0F, -3.0F};
    for (size_t i = 0; i < 18; ++i) {
      CHECK(out.values[i] == static_cast<float>(i * 14) * scale[i % 3] + offset[i % 3]);
    }
  }
}

TEST_CASE("A program that puts out what no layer computes is refused by name") {
  for (const bool on_xnnpack : {false, true}) {
    Model model;
    const TensorId input = add_input(model, "picture", {2, 2, 2});
    add_output(model, "out",
               add_layer(model, "neg", Elementwise{}, {input}, {.kind = Activation::Kind::neg}));
    const TileProgram program{
        .inputs = {{input, whole({2, 2, 2})}}, .steps = {}, .outputs = {{input, whole({2, 2, 2})}}};
    const Status refused = make_executor(on_xnnpack)->prepare(model, std::span(&program, 1));
    REQUIRE(!refused.ok());
    CHECK(refused.error().find("'picture'") != std::string::npos);
  }
}

}  // namespace shingle::tests

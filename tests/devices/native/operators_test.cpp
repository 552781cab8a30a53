// The plain operators against their definitions, as formulas in double.
#include <doctest/doctest.h>

#include <cmath>

#include "partition/model/shape.hpp"
#include "tests/devices/definition.hpp"
#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("Reductions gather whole axes") {
  networks::Random random(4);
  for (int flags = 1; flags < 8; ++flags) {
    for (auto kind : {Reduction::Kind::mean, Reduction::Kind::max, Reduction::Kind::sum,
                      Reduction::Kind::product}) {
      CAPTURE(flags);
      CAPTURE(static_cast<int>(kind));
      const Reduction op{kind, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};
      const Shape in{5, 6, 70};
      Model model;
      add_output(model, "out", add_layer(model, "reduce", op, {add_input(model, "in", in)}));
      const std::vector<Map> input = random_inputs(model, random.next());
      check_everywhere(reference_result(model, input), [&](int32_t y, int32_t x, int32_t c) {
        double sum = 0.0, product = 1.0, largest = -infinity;
        int count = 0;
        for (int32_t iy = 0; iy < in.h; ++iy) {
          for (int32_t ix = 0; ix < in.w; ++ix) {
            for (int32_t ic = 0; ic < in.c; ++ic) {
              if ((!op.y && iy != y) || (!op.x && ix != x) || (!op.c && ic != c)) continue;
              const double value = static_cast<double>(input[0].at(iy, ix, ic));
              sum += value;
              product *= value;
              largest = std::max(largest, value);
              ++count;
            }
          }
        }
        if (kind == Reduction::Kind::max) return largest;
        if (kind == Reduction::Kind::product) return product;
        return kind == Reduction::Kind::mean ? sum / count : sum;
      });
    }
  }
}

TEST_CASE("The index of the first largest element along each axis") {
  const Shape in{6, 7, 70};
  for (const Axis axis : {Axis::y, Axis::x, Axis::c}) {
    CAPTURE(static_cast<int>(axis));
    Model model;
    const Reduction op{Reduction::Kind::arg_max, axis == Axis::y, axis == Axis::x, axis == Axis::c};
    add_output(model, "out", add_layer(model, "index", op, {add_input(model, "in", in)}));
    std::vector<Map> input = random_inputs(model, 6);
    for (float& value : input[0].values) value = std::round(value * 2.0F);  // many are equal
    check_everywhere(reference_result(model, input), [&](int32_t y, int32_t x, int32_t c) {
      const int32_t size = axis == Axis::y ? in.h : axis == Axis::x ? in.w : in.c;
      const auto value = [&](int32_t i) {
        return input[0].at(op.y ? i : y, op.x ? i : x, op.c ? i : c);
      };
      int32_t best = 0;
      for (int32_t i = 1; i < size; ++i) best = value(i) > value(best) ? i : best;
      return static_cast<double>(best);
    });
  }
}

TEST_CASE("An index along two axes, or one that a float does not hold, has no shape") {
  Model model;
  const TensorId small = add_input(model, "in", {2, 3, 4});
  const TensorId large = add_input(model, "large", {1, (1 << 24) + 1, 1});
  const Reduction two{Reduction::Kind::arg_max, true, true, false};
  const Reduction one{Reduction::Kind::arg_max, false, true, false};
  CHECK(!infer_shape(model, two, std::span(&small, 1)).ok());
  CHECK(!infer_shape(model, one, std::span(&large, 1)).ok());
  CHECK(infer_shape(model, one, std::span(&small, 1)).ok());
}

TEST_CASE("Softmax sums to one along its axis, and its logarithm is its logarithm") {
  for (const auto& [axis, channels] :
       {std::pair{Axis::y, 37}, {Axis::x, 37}, {Axis::c, 37}, {Axis::c, 7}, {Axis::c, 70}}) {
    for (bool log : {false, true}) {
      CAPTURE(static_cast<int>(axis));
      CAPTURE(channels);
      CAPTURE(log);
      const Shape in{4, 11, channels};
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

TEST_CASE("Softmax of groups of channels is that of each group alone, in tiles too") {
  for (const int32_t size : {5, 70}) {
    for (const bool log : {false, true}) {
      const int32_t groups = 3;
      Model model;
      const TensorId in = add_input(model, "in", {4, 3, groups * size});
      const TensorId out = add_layer(model, "softmax", Softmax{Axis::c, log, groups}, {in});
      add_output(model, "out", out);
      const std::vector<Map> input = random_inputs(model, 6);
      const Map whole_map = reference_result(model, input);
      check_everywhere(whole_map, [&](int32_t y, int32_t x, int32_t c) {
        double sum = 0.0;
        for (int32_t i = c / size * size; i < (c / size + 1) * size; ++i)
          sum += std::exp(static_cast<double>(input[0].at(y, x, i)));
        const double value = static_cast<double>(input[0].at(y, x, c));
        return log ? value - std::log(sum) : std::exp(value) / sum;
      });
      const Region part{{1, 3}, {0, 2}, {size - 2, 2 * size + 1}};
      const TileProgram tile = tile_program(model, whole_block(model), {{out, part}});
      const std::unique_ptr<Executor> executor = make_executor(false);
      REQUIRE(executor->prepare(model, std::span(&tile, 1)).ok());
      CHECK(differing_bytes(run(*executor, model, tile, input)[0], whole_map) == 0);
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
  for (const bool native : {false, true}) {
    Model model;
    const TensorId input = add_input(model, "image", {2, 3, 3}, ElementType::u8);
    add_output(
        model, "out",
        add_layer(model, "convert", Convert{{0.5F, 1.0F, 2.0F}, {1.0F, 0.0F, -3.0F}}, {input}));
    std::vector<std::byte> image;
    for (int i = 0; i < 18; ++i) image.push_back(static_cast<std::byte>(i * 14));
    const TileProgram program = whole_program(model);
    const std::unique_ptr<Executor> executor = make_executor(native);
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
  for (const bool native : {false, true}) {
    Model model;
    const TensorId input = add_input(model, "picture", {2, 2, 2});
    add_output(model, "out",
               add_layer(model, "neg", Elementwise{}, {input}, {.kind = Activation::Kind::neg}));
    const TileProgram program{
        .inputs = {{input, whole({2, 2, 2})}}, .steps = {}, .outputs = {{input, whole({2, 2, 2})}}};
    const Status refused = make_executor(native)->prepare(model, std::span(&program, 1));
    REQUIRE(!refused.ok());
    CHECK(refused.error().find("'picture'") != std::string::npos);
  }
}

}  // namespace shingle::tests

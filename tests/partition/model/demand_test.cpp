// Demand of every operator compared with an enumeration of what each single output element reads.
#include "partition/model/demand.hpp"

#include <doctest/doctest.h>

#include "tests/networks/networks.hpp"
#include "tests/partition/dependencies.hpp"

using namespace shingle;
using networks::Random;

namespace {

Span random_part(Random& random, int32_t size) {
  const int32_t begin = random.between(0, size - 1);
  return {begin, random.between(begin + 1, std::min(size, begin + 6))};
}

Region random_part(Random& random, Shape shape) {
  return {random_part(random, shape.h), random_part(random, shape.w), random_part(random, shape.c)};
}

Shape random_shape(Random& random, int32_t channels) {
  return {random.between(1, 12), random.between(1, 12), channels};
}

Axis random_axis(Random& random) { return static_cast<Axis>(random.between(0, 2)); }

Window random_window(Random& random) {
  return {.kernel = random.between(1, 4),
          .stride = random.between(1, 3),
          .dilation = random.between(1, 3),
          .pad_begin = random.between(0, 4),
          .pad_end = random.between(0, 4)};
}

ConstantId weights(Model& model, int32_t count) {
  return add_constant(model, std::vector<float>(static_cast<size_t>(count), 1.0F));
}

Model with_layer(Model model, Operator op, std::vector<TensorId> inputs) {
  add_layer(model, "layer", std::move(op), std::move(inputs));
  return model;
}

Model with_layer(Model model, Operator op, TensorId input, Shape output) {
  add_layer(model, "layer", std::move(op), {input}, {}, output);
  return model;
}

Model random_convolution(Random& random) {
  Model model;
  const int32_t groups = random.between(1, 3);
  const int32_t group_inputs = random.between(1, 3), group_outputs = random.between(1, 3);
  const TensorId in = add_input(model, "in", random_shape(random, groups * group_inputs));
  const Window y = random_window(random), x = random_window(random);
  const ConstantId w = weights(model, groups * group_outputs * group_inputs * y.kernel * x.kernel);
  return with_layer(std::move(model), Convolution{y, x, groups, w, {}}, {in});
}

Model random_transposed(Random& random) {
  Model model;
  const int32_t groups = random.between(1, 3);
  const int32_t group_inputs = random.between(1, 2), group_outputs = random.between(1, 2);
  const TensorId in = add_input(model, "in", random_shape(random, groups * group_inputs));
  Window y = random_window(random), x = random_window(random);
  const ConstantId w = weights(model, groups * group_outputs * group_inputs * y.kernel * x.kernel);
  const Shape out{random.between(1, 20), random.between(1, 20), groups * group_outputs};
  return with_layer(std::move(model), TransposedConvolution{y, x, groups, w, {}}, in, out);
}

Model random_pooling(Random& random) {
  Model model;
  const Shape shape = random_shape(random, 3);
  const TensorId in = add_input(model, "in", shape);
  const Window y = random_window(random), x = random_window(random);
  const auto rounded_up = [](const Window& w, int32_t size) {
    return std::max(1, (size + w.pad_begin + w.pad_end - extent(w) + w.stride - 1) / w.stride + 1);
  };
  return with_layer(std::move(model), Pooling{Pooling::Kind::max, y, x, false}, in,
                    {rounded_up(y, shape.h), rounded_up(x, shape.w), 3});
}

Model random_reduction(Random& random) {
  Model model;
  const TensorId in = add_input(model, "in", random_shape(random, 5));
  if (random.chance(0.3)) {
    const auto axis = random_axis(random);
    return with_layer(
        std::move(model),
        Reduction{Reduction::Kind::arg_max, axis == Axis::y, axis == Axis::x, axis == Axis::c},
        {in});
  }
  const Reduction op{Reduction::Kind::mean, random.chance(0.5), random.chance(0.5),
                     random.chance(0.5)};
  return with_layer(std::move(model), op, {in});
}

Model random_binary(Random& random) {
  Model model;
  const Shape shape = random_shape(random, 5);
  const auto broadcast = [&](Shape s) {
    if (random.chance(0.4)) s.h = 1;
    if (random.chance(0.4)) s.w = 1;
    if (random.chance(0.4)) s.c = 1;
    return s;
  };
  const TensorId a = add_input(model, "a", broadcast(shape));
  const TensorId b = add_input(model, "b", broadcast(shape));
  return with_layer(std::move(model), Binary{}, {a, b});
}

Model random_concat(Random& random) {
  Model model;
  const Shape shape = random_shape(random, random.between(1, 5));
  const Axis axis = random_axis(random);
  std::vector<TensorId> inputs;
  for (int32_t i = random.between(1, 4); i > 0; --i) {
    Shape operand = shape;
    const int32_t size = random.between(1, 6);
    (axis == Axis::y ? operand.h : axis == Axis::x ? operand.w : operand.c) = size;
    inputs.push_back(add_input(model, "operand " + std::to_string(i), operand));
  }
  return with_layer(std::move(model), Concat{axis}, inputs);
}

Model random_slice(Random& random) {
  Model model;
  const Shape shape = random_shape(random, 6);
  const TensorId in = add_input(model, "in", shape);
  StridedSlice op;
  const std::array sizes{shape.h, shape.w, shape.c};
  for (size_t axis = 0; axis < 3; ++axis) {
    op.begin[axis] = random.between(0, sizes[axis] - 1);
    op.step[axis] = random.between(1, 3) * (random.chance(0.4) ? -1 : 1);
  }
  return with_layer(std::move(model), op, {in});
}

Model random_gather(Random& random) {
  Model model;
  const Shape shape = random_shape(random, 6);
  const TensorId in = add_input(model, "in", shape);
  Gather op{random_axis(random), {}};
  const int32_t size = std::array{shape.h, shape.w, shape.c}[static_cast<size_t>(op.axis)];
  for (int32_t i = random.between(1, 9); i > 0; --i) {
    op.indices.push_back(random.between(0, size - 1));
  }
  return with_layer(std::move(model), op, {in});
}

Model random_pad(Random& random) {
  Model model;
  const TensorId in = add_input(model, "in", random_shape(random, 4));
  Pad op;
  for (size_t axis = 0; axis < 3; ++axis) {
    op.before[axis] = random.between(0, 7);
    op.after[axis] = random.between(0, 7);
  }
  return with_layer(std::move(model), op, {in});
}

Model random_resize(Random& random) {
  Model model;
  const Shape shape = random_shape(random, 2);
  const TensorId in = add_input(model, "in", shape);
  Resize op{.kind = static_cast<Resize::Kind>(random.between(0, 1)),
            .coordinates = static_cast<Resize::Coordinates>(random.between(0, 3)),
            .rounding = static_cast<Resize::Rounding>(random.between(0, 3)),
            .scale_y = static_cast<float>(random.between(1, 16)) / 4.0F,
            .scale_x = random.uniform(0.1F, 4.0F)};
  const auto scaled = [](int32_t size, float scale) {
    return std::max(1, static_cast<int32_t>(static_cast<float>(size) * scale));
  };
  const Shape out{scaled(shape.h, op.scale_y), scaled(shape.w, op.scale_x), 2};
  return with_layer(std::move(model), op, in, out);
}

using Axes = std::array<std::vector<int32_t>, 3>;

// Distributes the factors, shuffled, over the three axes.
Axes dealt(Random& random, size_t factors) {
  std::vector<int32_t> order;
  for (size_t i = 0; i < factors; ++i) {
    order.insert(order.begin() + random.between(0, static_cast<int32_t>(i)),
                 static_cast<int32_t>(i));
  }
  Axes axes;
  for (int32_t factor : order) axes[static_cast<size_t>(random.between(0, 2))].push_back(factor);
  return axes;
}

Model random_rearrange(Random& random) {
  Rearrange op;
  for (int32_t i = random.between(1, 6); i > 0; --i) op.factors.push_back(random.between(1, 4));
  op.input_axes = dealt(random, op.factors.size());
  op.output_axes = dealt(random, op.factors.size());
  std::array<int32_t, 3> size{1, 1, 1};
  for (size_t axis = 0; axis < 3; ++axis) {
    for (int32_t factor : op.input_axes[axis])
      size[axis] *= op.factors[static_cast<size_t>(factor)];
  }
  Model model;
  const TensorId in = add_input(model, "in", {size[0], size[1], size[2]});
  return with_layer(std::move(model), op, {in});
}

Model random_pointwise(Random& random) {
  Model model;
  if (random.chance(0.3)) {
    const TensorId in = add_input(model, "in", random_shape(random, 3), ElementType::u8);
    return with_layer(std::move(model), Convert{{1, 2, 3}, {0, 0, 0}}, {in});
  }
  const TensorId in = add_input(model, "in", random_shape(random, 5));
  if (random.chance(0.5)) return with_layer(std::move(model), Elementwise{}, {in});
  const Axis axis = random_axis(random);
  const int32_t groups = axis == Axis::c && random.chance(0.3) ? 5 : 1;
  return with_layer(std::move(model), Softmax{axis, false, groups}, {in});
}

Model random_product(Random& random) {
  Model model;
  const MatrixProduct op{.stack = random.between(1, 4), .turned = random.chance(0.5)};
  const Shape second = random_shape(random, op.stack * random.between(1, 4));
  const int32_t depth = op.turned ? second.c / op.stack : second.h * second.w;
  const TensorId a = add_input(model, "a", random_shape(random, op.stack * depth));
  return with_layer(std::move(model), op, {a, add_input(model, "b", second)});
}

Model random_places(Random& random) {
  Model model;
  const TensorId places = add_input(model, "places", random_shape(random, 2));
  const TensorId map = add_input(model, "map", random_shape(random, random.between(1, 6)));
  return with_layer(std::move(model), GridSample{}, {places, map});
}

int32_t& along(Shape& shape, Axis axis) {
  return axis == Axis::y ? shape.h : axis == Axis::x ? shape.w : shape.c;
}

// As many along `axis` as the caller says, along the others as large as the map, or 1.
Shape random_indices(Random& random, Shape map, Axis axis, int32_t count) {
  Shape shape = map;
  for (const Axis each : {Axis::y, Axis::x, Axis::c})
    if (random.chance(0.4)) along(shape, each) = 1;
  along(shape, axis) = count;
  return shape;
}

Model random_order(Random& random) {
  Model model;
  Shape shape = random_shape(random, random.between(1, 6));
  const Axis axis = random_axis(random);
  const int32_t count = random.between(1, along(shape, axis));
  const TensorId in = add_input(model, "in", shape);
  return with_layer(std::move(model), Order{axis, count, true}, {in});
}

Model random_take(Random& random) {
  Model model;
  const Shape map = random_shape(random, random.between(1, 6));
  const Axis axis = random_axis(random);
  const TensorId indices =
      add_input(model, "indices", random_indices(random, map, axis, random.between(1, 9)));
  const TensorId from = add_input(model, "map", map);
  return with_layer(std::move(model), Take{axis}, {indices, from});
}

Model random_scatter(Random& random) {
  Model model;
  const Shape map = random_shape(random, random.between(1, 6));
  const Axis axis = random_axis(random);
  Shape updates = map;
  for (const Axis each : {Axis::y, Axis::x, Axis::c})
    if (random.chance(0.4)) along(updates, each) = random.between(1, along(updates, each));
  const int32_t count = along(updates, axis) = random.between(1, 9);
  const TensorId first = add_input(model, "map", map);
  const TensorId second = add_input(model, "indices", random_indices(random, updates, axis, count));
  const TensorId third = add_input(model, "updates", updates);
  return with_layer(std::move(model), Scatter{axis}, {first, second, third});
}

// Returns how many demands were empty.
int check_against_enumeration(Model (*make)(Random&), uint64_t seed, int trials = 400) {
  Random random(seed);
  int empty = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const Model model = make(random);
    const Layer& layer = model.layers[0];
    const Shape shape = model.at(layer.output).shape;
    if (shape.elements() == 0) continue;  // the random window did not fit
    const Region output = random_part(random, shape);
    for (size_t input = 0; input < layer.inputs.size(); ++input) {
      const Region expected = oracle::dependency_hull(model, layer, input, output);
      const Region needed = demand(model, layer, input, output);
      empty += needed.empty();
      CAPTURE(seed);
      CAPTURE(trial);
      CAPTURE(to_string(model.at(layer.inputs[input]).shape));
      CAPTURE(to_string(output));
      CAPTURE(to_string(needed));
      CAPTURE(to_string(expected));
      REQUIRE(needed == expected);
    }
  }
  return empty;
}

}  // namespace

TEST_CASE("places on a map") { check_against_enumeration(random_places, 45); }
TEST_CASE("an order along any axis") { CHECK(check_against_enumeration(random_order, 46) == 0); }
TEST_CASE("indices and what they take") {
  CHECK(check_against_enumeration(random_take, 47, 1500) == 0);
}
TEST_CASE("a map that is changed at indices") {
  CHECK(check_against_enumeration(random_scatter, 48, 1500) > 0);
}
TEST_CASE("convolution") { CHECK(check_against_enumeration(random_convolution, 31, 1500) > 0); }
TEST_CASE("transposed convolution") {
  CHECK(check_against_enumeration(random_transposed, 32, 1500) > 0);
}
TEST_CASE("pooling, ceil-rounded") {
  CHECK(check_against_enumeration(random_pooling, 33, 1500) > 0);
}
TEST_CASE("reduction") { CHECK(check_against_enumeration(random_reduction, 34) == 0); }
TEST_CASE("binary with broadcasting") { CHECK(check_against_enumeration(random_binary, 35) == 0); }
TEST_CASE("concat along any axis") { CHECK(check_against_enumeration(random_concat, 36) > 0); }
TEST_CASE("strided slice, backwards too") {
  CHECK(check_against_enumeration(random_slice, 37) == 0);
}
TEST_CASE("gather") { CHECK(check_against_enumeration(random_gather, 38) == 0); }
TEST_CASE("pad") { CHECK(check_against_enumeration(random_pad, 39) > 0); }
TEST_CASE("resize, every mode") { CHECK(check_against_enumeration(random_resize, 40, 3000) == 0); }
TEST_CASE("rearrange") { CHECK(check_against_enumeration(random_rearrange, 41, 3000) == 0); }
TEST_CASE("elementwise, softmax, convert") {
  CHECK(check_against_enumeration(random_pointwise, 42) == 0);
}
TEST_CASE("the product of two maps") {
  CHECK(check_against_enumeration(random_product, 44, 1500) == 0);
}

TEST_CASE("every layer of random networks reads what its elements read") {
  Random random(43);
  for (int trial = 0; trial < 12; ++trial) {
    const Model model = networks::random_model(random);
    for (const Layer& layer : model.layers) {
      const Region output = random_part(random, model.at(layer.output).shape);
      for (size_t input = 0; input < layer.inputs.size(); ++input) {
        CAPTURE(trial);
        CAPTURE(layer.name);
        REQUIRE(demand(model, layer, input, output) ==
                oracle::dependency_hull(model, layer, input, output));
      }
    }
  }
}

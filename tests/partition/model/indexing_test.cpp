// Sorting, taking and scattering: shapes, what is needed, what is refused.
#include <doctest/doctest.h>

#include "partition/model/demand.hpp"
#include "partition/model/shape.hpp"

using namespace shingle;

namespace {

Model with(Operator op, const std::vector<Shape>& shapes) {
  Model model;
  std::vector<TensorId> inputs;
  for (const Shape& shape : shapes) inputs.push_back(add_input(model, "in", shape));
  add_output(model, "out", add_layer(model, "layer", std::move(op), inputs));
  return model;
}

// Of the layer's output; of none if it cannot be.
Shape shape_of(Operator op, const std::vector<Shape>& shapes) {
  const Model model = with(std::move(op), shapes);
  return model.at(model.layers[0].output).shape;
}

constexpr Shape nothing{0, 0, 0};

}  // namespace

TEST_CASE("an order is as long as it is asked for") {
  CHECK(shape_of(Order{Axis::y, 3, true}, {{7, 8, 6}}) == Shape{3, 8, 6});
  CHECK(shape_of(Order{Axis::c, 6, true}, {{7, 8, 6}}) == Shape{7, 8, 6});
  CHECK(shape_of(Order{Axis::x, 9, true}, {{7, 8, 6}}) == nothing);
  CHECK(shape_of(Order{Axis::x, 0, true}, {{7, 8, 6}}) == nothing);
  CHECK(shape_of(Order{Axis::x, -1, true}, {{7, 8, 6}}) == nothing);
  CHECK(shape_of(Order{Axis::x, 1, true}, {{1, max_index + 1, 1}}) == nothing);
}

TEST_CASE("as many elements are taken as there are indices") {
  CHECK(shape_of(Take{Axis::y}, {{3, 1, 1}, {7, 8, 6}}) == Shape{3, 8, 6});
  CHECK(shape_of(Take{Axis::y}, {{30, 8, 1}, {7, 8, 6}}) == Shape{30, 8, 6});
  CHECK(shape_of(Take{Axis::c}, {{7, 8, 2}, {7, 8, 6}}) == Shape{7, 8, 2});
  CHECK(shape_of(Take{Axis::c}, {{7, 4, 2}, {7, 8, 6}}) == nothing);
  CHECK(shape_of(Take{Axis::x}, {{1, 4, 2}, {7, 8, 6}}) == nothing);
  CHECK(shape_of(Take{Axis::x}, {{7, 8, 6}}) == nothing);
  CHECK(shape_of(Take{Axis::y}, {{1, 1, 1}, {max_index + 1, 1, 1}}) == nothing);
}

TEST_CASE("a changed map is as large as before, and has no fewer elements than updates") {
  const Shape map{7, 8, 6};
  CHECK(shape_of(Scatter{Axis::y}, {map, {9, 1, 1}, {9, 8, 6}}) == map);
  CHECK(shape_of(Scatter{Axis::y}, {map, {9, 3, 2}, {9, 3, 2}}) == map);
  CHECK(shape_of(Scatter{Axis::x}, {map, {7, 2, 6}, {7, 2, 6}}) == map);
  CHECK(shape_of(Scatter{Axis::x}, {map, {8, 2, 6}, {8, 2, 6}}) == nothing);
  CHECK(shape_of(Scatter{Axis::x}, {map, {1, 3, 1}, {7, 2, 6}}) == nothing);
  CHECK(shape_of(Scatter{Axis::x}, {map, {2, 3, 1}, {7, 3, 6}}) == nothing);
  CHECK(shape_of(Scatter{Axis::x}, {map, {1, 3, 1}}) == nothing);
}

TEST_CASE("the place of a maximum must be exact as a float") {
  const Window two{.kernel = 2, .stride = 2};
  const Pooling place{Pooling::Kind::max_place, two, two, false};
  CHECK(shape_of(place, {{8, 6, 3}}) == Shape{4, 3, 3});
  CHECK(shape_of(place, {{4098, 4096, 1}}) == nothing);
}

TEST_CASE("a part of an order needs its lines, a part of a map its indices and their lines") {
  const Model order = with(Order{Axis::y, 3, true}, {{7, 8, 6}});
  const Region part{{1, 2}, {2, 4}, {3, 5}};
  CHECK(demand(order, order.layers[0], 0, part) == Region{{0, 7}, {2, 4}, {3, 5}});
  const Model take = with(Take{Axis::y}, {{3, 8, 1}, {7, 8, 6}});
  CHECK(demand(take, take.layers[0], 0, part) == Region{{1, 2}, {2, 4}, {0, 1}});
  CHECK(demand(take, take.layers[0], 1, part) == Region{{0, 7}, {2, 4}, {3, 5}});
  const Model scatter = with(Scatter{Axis::y}, {{7, 8, 6}, {3, 8, 1}, {3, 8, 4}});
  CHECK(demand(scatter, scatter.layers[0], 0, part) == part);
  CHECK(demand(scatter, scatter.layers[0], 1, part) == Region{{0, 3}, {2, 4}, {0, 1}});
  CHECK(demand(scatter, scatter.layers[0], 2, part) == Region{{0, 3}, {2, 4}, {3, 4}});
  CHECK(demand(scatter, scatter.layers[0], 2, {{1, 2}, {2, 4}, {4, 6}}).empty());
}

TEST_CASE("which layers of these can be cut along the map") {
  const auto local = [](const Model& model) { return is_spatially_local(model, model.layers[0]); };
  const auto along_first = [](const Model& model) {
    return goes_along_first_input(model, model.layers[0]);
  };
  CHECK(local(with(Order{Axis::c, 3, true}, {{7, 8, 6}})));
  CHECK(!local(with(Order{Axis::x, 3, true}, {{7, 8, 6}})));
  CHECK(local(with(Take{Axis::c}, {{7, 8, 2}, {7, 8, 6}})));
  CHECK(!local(with(Take{Axis::x}, {{1, 9, 1}, {7, 8, 6}})));
  CHECK(along_first(with(Take{Axis::x}, {{1, 9, 1}, {7, 8, 6}})));
  CHECK(!along_first(with(Scatter{Axis::x}, {{7, 8, 6}, {1, 9, 1}, {7, 9, 6}})));
}

TEST_CASE("how elements are sorted, taken and changed is part of the model's hash") {
  const auto hash = [](const Operator& op, const std::vector<Shape>& shapes) {
    return structural_hash(with(op, shapes));
  };
  const Shape map{6, 6, 6};
  CHECK(hash(Order{Axis::y, 6, true}, {map}) != hash(Order{Axis::y, 6, false}, {map}));
  CHECK(hash(Order{Axis::y, 6, true}, {map}) != hash(Order{Axis::x, 6, true}, {map}));
  CHECK(hash(Take{Axis::y}, {map, map}) != hash(Take{Axis::x}, {map, map}));
  CHECK(hash(Scatter{Axis::y}, {map, map, map}) !=
        hash(Scatter{Axis::y, Scatter::Kind::add}, {map, map, map}));
}

#include "partition/model/late_moves.hpp"

#include <doctest/doctest.h>

#include "tests/networks/networks.hpp"

namespace shingle {

namespace {

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names;
  for (const Layer& layer : model.layers) names.push_back(layer.name);
  return names;
}

using Names = std::vector<std::string>;

TensorId relu(Model& model, const std::string& name, TensorId input) {
  return add_layer(model, name, Elementwise{}, {input}, {Activation::Kind::relu, 0, 0});
}

// A map as one row.
TensorId row(Model& model, const std::string& name, TensorId input) {
  const Shape shape = model.at(input).shape;
  return add_layer(model, name,
                   Rearrange{.factors = {shape.h, shape.w, shape.c},
                             .input_axes = {std::vector<int32_t>{0}, {1}, {2}},
                             .output_axes = {std::vector<int32_t>{}, {0, 1}, {2}}},
                   {input});
}

}  // namespace

TEST_CASE("Layers that only move come right before the first one that reads them") {
  Model model;
  const TensorId in = add_input(model, "in", {4, 6, 8});
  const TensorId moved = row(model, "moved", in);
  const TensorId joined = add_layer(model, "joined", Concat{Axis::x}, {moved, moved});
  const TensorId a = relu(model, "a", in), b = relu(model, "b", a);
  const TensorId first = relu(model, "first", joined);
  add_output(model, "b", b);
  add_output(model, "first", first);
  add_output(model, "second", relu(model, "second", joined));
  move_late(model);
  CHECK(names_of(model) == Names{"a", "b", "moved", "joined", "first", "second"});
  CHECK(defects(model).empty());
}

TEST_CASE("What only moves and is an output, and what computes, stays where it is") {
  Model model;
  const TensorId in = add_input(model, "in", {4, 6, 8});
  const TensorId moved = row(model, "moved", in), early = relu(model, "early", in);
  const TensorId late = relu(model, "late", in);
  add_output(model, "moved", moved);
  add_output(model, "sum", add_layer(model, "sum", Binary{}, {late, early}));
  move_late(model);
  CHECK(names_of(model) == Names{"moved", "early", "late", "sum"});
}

TEST_CASE("Random networks stay sound if what moves comes late") {
  int changed = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    Model model = networks::random_model(random);
    const Names before = names_of(model);
    move_late(model);
    CHECK(defects(model).empty());
    changed += names_of(model) == before ? 0 : 1;
  }
  CHECK(changed > 0);
}

}  // namespace shingle

// Products of two values, and softmax in groups of channels: shapes, work, what is refused.
#include <doctest/doctest.h>

#include "partition/model/demand.hpp"
#include "partition/model/shape.hpp"

using namespace shingle;

namespace {

Result<Shape> product_of(Shape first, Shape second, MatrixProduct op) {
  Model model;
  const TensorId inputs[] = {add_input(model, "a", first), add_input(model, "b", second)};
  return infer_shape(model, op, inputs);
}

std::string refusal(const Result<Shape>& shape) {
  return shape ? "its output is " + to_string(*shape) : shape.error();
}

}  // namespace

TEST_CASE("a product has the first operand's pixels and the second one's columns") {
  const MatrixProduct two{.stack = 2}, two_turned{.stack = 2, .turned = true};
  CHECK(product_of({4, 5, 6}, {1, 3, 14}, two).value() == Shape{4, 5, 14});
  CHECK(product_of({4, 5, 6}, {2, 7, 6}, two_turned).value() == Shape{4, 5, 28});
}

TEST_CASE("operands that do not fit are refused") {
  CHECK(refusal(product_of({4, 5, 6}, {2, 3, 14}, {.stack = 2})) ==
        "its operands 4x5x6 and 2x3x14 differ in what is summed");
  CHECK(refusal(product_of({4, 5, 6}, {2, 7, 8}, {.stack = 2, .turned = true})) ==
        "its operands 4x5x6 and 2x7x8 differ in what is summed");
  CHECK(refusal(product_of({4, 5, 6}, {1, 3, 7}, {.stack = 2})) ==
        "its 7 channels do not divide into 2 matrices");
  CHECK(refusal(product_of({4, 5, 6}, {1, 6, 7}, {.stack = 0})) ==
        "its 6 channels do not divide into 0 matrices");
  CHECK(refusal(product_of({4, 5, 6}, {1, 6, 7}, {.stack = -1})) ==
        "its 6 channels do not divide into -1 matrices");
  CHECK(!product_of({1 << 10, 1 << 10, 1}, {1 << 15, 1 << 15, 1}, {.turned = true}).ok());
}

TEST_CASE("a product's work is its depth for each output") {
  Model model;
  const TensorId a = add_input(model, "a", {4, 5, 6}), b = add_input(model, "b", {2, 7, 6});
  add_output(model, "out", add_layer(model, "product", MatrixProduct{2, true}, {a, b}));
  CHECK(total_macs(model) == 4 * 5 * 28 * 3);
  CHECK(defects(model).empty());
  const Hash before = structural_hash(model);
  std::get<MatrixProduct>(model.layers[0].op).stack = 1;
  CHECK(!defects(model).empty());
  CHECK(structural_hash(model) != before);
}

TEST_CASE("a product follows its first operand alone") {
  Model model;
  const TensorId a = add_input(model, "a", {4, 5, 6}), b = add_input(model, "b", {2, 3, 14});
  const TensorId one = add_input(model, "one", {1, 1, 6});
  add_layer(model, "product", MatrixProduct{}, {a, b});
  add_layer(model, "by a column", MatrixProduct{.turned = true}, {a, one});
  CHECK(!is_spatially_local(model, model.layers[0]));
  CHECK(goes_along_first_input(model, model.layers[0]));
  CHECK(is_spatially_local(model, model.layers[1]));
  CHECK(demand(model, model.layers[0], 0, {{1, 2}, {3, 5}, {2, 4}}) ==
        Region{{1, 2}, {3, 5}, {0, 6}});
  CHECK(demand(model, model.layers[0], 1, {{1, 2}, {3, 5}, {2, 4}}) ==
        Region{{0, 2}, {0, 3}, {2, 4}});
}

TEST_CASE("softmax in groups wants equal groups of channels") {
  const auto soft = [](Softmax op) {
    Model model;
    const TensorId in = add_input(model, "in", {4, 6, 6});
    return infer_shape(model, op, std::span(&in, 1));
  };
  CHECK(soft({Axis::c, false, 3}).value() == Shape{4, 6, 6});
  CHECK(refusal(soft({Axis::c, false, 4})) == "its 6 input channels do not divide into 4 groups");
  CHECK(refusal(soft({Axis::c, false, 0})) == "its 6 input channels do not divide into 0 groups");
  CHECK(refusal(soft({Axis::y, false, 2})) == "its groups are not along the channels");
}

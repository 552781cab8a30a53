// Scatter, ScatterElements and ScatterND.
#include "partition/base/text.hpp"
#include "partition/readers/onnx/operators/indexing/tuples.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

namespace {

Scatter::Kind kind_of(const Node& node) {
  const std::string_view reduction = node.text("reduction", "none");
  if (reduction == "none") return Scatter::Kind::replace;
  if (reduction == "add") return Scatter::Kind::add;
  if (reduction == "mul") return Scatter::Kind::mul;
  if (reduction == "max") return Scatter::Kind::max;
  if (reduction == "min") return Scatter::Kind::min;
  node.refuse("its reduction is " + in_quotes(reduction) +
              ", and shingle has none, add, mul, max and min");
}

}  // namespace

void scatter_elements(Node& node) {
  const Dims dims = node.dims(0), given = node.dims(1);
  const size_t dim = node.axis(node.integer("axis", 0), dims.size());
  if (given != node.dims(2)) {
    node.refuse("its indices of " + text_of(given) + " and its updates of " +
                text_of(node.dims(2)) + " differ");
  }
  node.set(scattered(
      node, node.value(0),
      {.dim = dim, .indices = node.value(1), .updates = node.value(2), .kind = kind_of(node)}));
}

void scatter_nd(Node& node) {
  const Tuples tuples = tuples_of(node, 0);
  if (node.dims(2) != joined(tuples.places, tuples.rest, {})) {
    node.refuse("its updates are " + text_of(node.dims(2)) + " where " +
                text_of(joined(tuples.places, tuples.rest, {})) + " are needed");
  }
  const Dims count{product_of(tuples.places)};
  const Value flat = flat_indices(node, node.value(1), tuples.sizes);
  const Value map =
      reshaped_value(node, node.value(0), joined({product_of(tuples.sizes)}, tuples.rest, {}));
  const Changes changes{
      .dim = 0,
      .indices = reshaped_value(node, flat, joined(count, Dims(tuples.rest.size(), 1), {})),
      .updates = reshaped_value(node, node.value(2), joined(count, tuples.rest, {})),
      .kind = kind_of(node)};
  node.set(reshaped_value(node, scattered(node, map, changes), node.dims(0)));
}

}  // namespace shingle::onnx

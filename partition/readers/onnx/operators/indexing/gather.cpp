// Gather with indices that depend on the input, GatherElements and GatherND.
#include <algorithm>

#include "partition/readers/onnx/operators/indexing/tuples.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/selection/choice.hpp"

namespace shingle::onnx {

namespace {

// The first `wanted` elements of each dim but `dim`, if there are more.
Value first_of(Node& node, const Value& value, const Dims& wanted, size_t dim) {
  const Dims dims = dims_of(value);
  Dims part = dims;
  for (size_t other = 0; other < dims.size(); ++other)
    if (other != dim) part[other] = std::min(dims[other], wanted[other]);
  if (part == dims) return value;
  if (const Constant* known = std::get_if<Constant>(&value))
    return walked(node, *known, {.dims = part, .strides = row_major_strides(dims), .begin = 0});
  Choice choice(dims.size());
  for (size_t other = 0; other < dims.size(); ++other)
    if (part[other] != dims[other]) choice[other] = spaced(node, 0, 1, part[other]);
  return chosen(node, std::get<Box>(value), choice);
}

}  // namespace

void gather_at_values(Node& node) {
  const Dims dims = node.dims(0), given = node.dims(1);
  const size_t dim = node.axis(node.integer("axis", 0), dims.size());
  Dims line(dims.size(), 1);
  line[dim] = checked_elements(given, node.store().limits);
  const Value indices = reshaped_value(node, node.value(1), line);
  const Value found = taken(node, node.value(0), dim, indices);
  node.set(reshaped_value(node, found, replaced_dims(dims, dim, 1, given)));
}

void gather_elements(Node& node) {
  const Dims dims = node.dims(0), given = node.dims(1);
  if (dims.empty() || dims.size() != given.size()) {
    node.refuse("its indices of " + text_of(given) + " do not have as many dimensions as its map " +
                text_of(dims));
  }
  const size_t dim = node.axis(node.integer("axis", 0), dims.size());
  const Value map = first_of(node, node.value(0), given, dim);
  node.set(taken(node, map, dim, node.value(1)));
}

void gather_nd(Node& node) {
  const Tuples tuples = tuples_of(node, node.integer("batch_dims", 0));
  const Dims line = joined(tuples.batch, {product_of(tuples.places)}, Dims(tuples.rest.size(), 1));
  const Value indices = reshaped_value(node, flat_indices(node, node.value(1), tuples.sizes), line);
  const Value map = reshaped_value(node, node.value(0),
                                   joined(tuples.batch, {product_of(tuples.sizes)}, tuples.rest));
  const Value found = taken(node, map, tuples.batch.size(), indices);
  node.set(reshaped_value(node, found, joined(tuples.batch, tuples.places, tuples.rest)));
}

}  // namespace shingle::onnx

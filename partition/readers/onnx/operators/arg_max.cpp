// ArgMax and ArgMin: the index as a float. The smallest element is the largest of the negated
// values; the last one is the first in reverse order.
#include "partition/readers/onnx/operators/arg_max.hpp"

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reduction.hpp"
#include "partition/readers/onnx/operators/selection/choice.hpp"

namespace shingle::onnx {

Axis lined_up(Node& node, Box& box, size_t dim) {
  std::vector<bool> marked(box.view.dims.size(), false);
  marked[dim] = true;
  const std::optional<Axis> lying = axis_of(box.view, marked);
  if (lying && box.view.box[static_cast<size_t>(*lying)] == box.view.dims[dim]) return *lying;
  box = with_channels(node, box, marked);
  return Axis::c;
}

Box only_index(Node& node, const Box& box) {
  // No infinity counts, so nothing does, not even NaN.
  return node.activate(box, {.kind = Activation::Kind::is_infinite, .alpha = 0.0F, .beta = 0.0F});
}

Box first_largest(Node& node, const Box& box, size_t dim) {
  std::vector<bool> marked(box.view.dims.size(), false);
  marked[dim] = true;
  if (size_of(box.view, dim) == 1) return only_index(node, box);
  Box laid = box;
  const Axis axis = lined_up(node, laid, dim);
  return node.emit(Reduction{.kind = Reduction::Kind::arg_max,
                             .y = axis == Axis::y,
                             .x = axis == Axis::x,
                             .c = axis == Axis::c},
                   {laid.tensor}, collapsed(laid.view, marked));
}

void arg_max(Node& node) {
  Box box = node.box(0);
  const size_t rank = box.view.dims.size();
  const size_t dim = node.axis(node.integer("axis", 0), rank);
  const int64_t size = size_of(box.view, dim);
  const bool from_behind = node.integer("select_last_index", 0) != 0 && size > 1;
  if (node.op() == "ArgMin") box = node.activate(box, {.kind = Activation::Kind::neg});
  if (from_behind) {
    Choice choice(rank);
    choice[dim] = spaced(node, size - 1, -1, size);
    box = chosen(node, box, choice);
  }
  Box index = first_largest(node, box, dim);
  if (from_behind) {
    const Constant last = node.store().floats({}, {static_cast<float>(size - 1)});
    index = combine(node, Binary::Kind::sub, last, index);
  }
  std::vector<bool> marked(rank, false);
  marked[dim] = true;
  node.set(node.integer("keepdims", 1) == 0 ? without(index, marked) : index);
}

}  // namespace shingle::onnx

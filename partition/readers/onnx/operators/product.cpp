// The matrix product of two values. Rows are along y, columns along x, and the summed dim along the
// channels: a broadcast multiplication of (m, 1, k) and (1, n, k), then a 1x1 convolution with
// ones. A stack of matrices is in the channels too; each matrix is a group of the convolution.
#include "partition/readers/onnx/operators/product.hpp"

#include "partition/readers/onnx/operators/broadcast.hpp"

namespace shingle::onnx {

namespace {

// The box with its leading dims broadcast to `stack`, laid out by `axes`.
Box operand(Node& node, Box box, const Dims& stack, const std::vector<Axis>& axes) {
  box.view = padded(box.view, axes.size());
  Dims dims = sizes(box.view);
  std::copy(stack.begin(), stack.end(), dims.begin());
  const Box whole = dims == sizes(box.view) ? box : stretched(node, box, dims);
  return node.laid_out(whole, arranged(whole.view, axes));
}

Dims leading(const Dims& dims) { return {dims.begin(), dims.end() - 2}; }

}  // namespace

Box product(Node& node, Box a, Box b) {
  const Dims left = sizes(a.view), right = sizes(b.view);
  if (left.size() < 2 || right.size() < 2 || left.back() != right[right.size() - 2]) {
    node.refuse("its operands " + text_of(left) + " and " + text_of(right) + " do not fit");
  }
  const int64_t depth = left.back();
  const Dims stack = broadcast(node, leading(left), leading(right));
  std::vector<Axis> rows(stack.size(), Axis::c), columns = rows, all = rows;
  rows.insert(rows.end(), {Axis::y, Axis::c});
  columns.insert(columns.end(), {Axis::c, Axis::x});
  all.insert(all.end(), {Axis::y, Axis::x, Axis::c});

  Dims dims = stack;
  dims.insert(dims.end(), {left[left.size() - 2], right.back(), depth});
  node.new_map(dims);  // refuses sizes beyond the limits
  const Box first = operand(node, std::move(a), stack, rows);
  const Box second = operand(node, std::move(b), stack, columns);
  const Box products =
      node.emit(Binary{Binary::Kind::mul}, {first.tensor, second.tensor}, map_view(dims, all));

  dims.pop_back();
  all.pop_back();
  const int64_t groups = checked_elements(stack, node.store().limits);
  node.store().budget.charge(groups * depth);
  const Convolution sum{
      .y = {},
      .x = {},
      .groups = static_cast<int32_t>(groups),
      .weights =
          add_constant(node.model(), std::vector<float>(static_cast<size_t>(groups * depth), 1.0F)),
      .bias = std::nullopt};
  return node.emit(sum, {products.tensor}, map_view(dims, all));
}

}  // namespace shingle::onnx

// MaxPool and AveragePool.
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/window.hpp"

namespace shingle::onnx {

namespace {

void pool(Node& node, Pooling op) {
  const Box input = node.as_image(0);
  const Dims dims = sizes(input.view);
  const Windows window = windows(node, dims, node.integers("kernel_shape"));
  const bool ceil = node.integer("ceil_mode", 0) != 0;
  op.y = window.y;
  op.x = window.x;
  Dims output{1, dims[1]};
  if (dims.size() == 4) output.push_back(outputs_of(window.y, dims[2], ceil));
  output.push_back(outputs_of(window.x, dims.back(), ceil));
  const View view = node.new_map(output);
  node.set(node.emit(op, {input.tensor}, view, box_shape(view)));
}

}  // namespace

void max_pool(Node& node) {
  if (node.outputs() > 1) node.refuse("its second output, the indices, is not supported");
  pool(node, {.kind = Pooling::Kind::max, .y = {}, .x = {}});
}

void average_pool(Node& node) {
  pool(node, {.kind = Pooling::Kind::average,
              .y = {},
              .x = {},
              .count_padding = node.integer("count_include_pad", 0) != 0});
}

}  // namespace shingle::onnx

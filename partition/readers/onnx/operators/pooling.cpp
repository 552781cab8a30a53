// MaxPool and AveragePool.
#include "partition/model/shape.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/window.hpp"

namespace shingle::onnx {

namespace {

// An input and how it is pooled.
struct Pooled {
  Box input;
  Windows window;
  View view;  // of the output
};

Pooled pooled(Node& node) {
  const Box input = node.as_image(0);
  const Dims dims = sizes(input.view);
  const Windows window = windows(node, dims, node.integers("kernel_shape"));
  const bool ceil = node.integer("ceil_mode", 0) != 0;
  Dims output{1, dims[1]};
  if (dims.size() == 4) output.push_back(outputs_of(window.y, dims[2], ceil));
  output.push_back(outputs_of(window.x, dims.back(), ceil));
  return {input, window, node.new_map(output)};
}

Box pool(Node& node, const Pooled& pooled, Pooling op) {
  op.y = pooled.window.y;
  op.x = pooled.window.x;
  return node.emit(op, {pooled.input.tensor}, pooled.view, box_shape(pooled.view));
}

// The place of column w in row h, h * columns + w, as w * rows + h.
Box column_by_column(Node& node, const Box& place, float rows, float columns) {
  using Kind = Binary::Kind;
  const Box row =
      node.activate(combine(node, Kind::div, place, columns), {.kind = Activation::Kind::truncate});
  const Box column = combine(node, Kind::sub, place, combine(node, Kind::mul, row, columns));
  return combine(node, Kind::add, combine(node, Kind::mul, column, rows), row);
}

// Where the maxima lie, among the elements of all channels.
Box places(Node& node, const Pooled& pooled) {
  const Shape in = box_shape(pooled.input.view);
  if (in.elements() > max_index) node.refuse("its indices are too large for a 32-bit float");
  Box place = pool(node, pooled, {.kind = Pooling::Kind::max_place, .y = {}, .x = {}});
  place.sole = false;
  if (node.integer("storage_order", 0) != 0 && in.h > 1)
    place = column_by_column(node, place, static_cast<float>(in.h), static_cast<float>(in.w));
  if (in.c == 1) return place;
  Dims dims(sizes(pooled.view).size(), 1);
  dims[1] = in.c;
  node.store().budget.charge(in.c);
  std::vector<float> starts;
  for (int64_t c = 0; c < in.c; ++c) starts.push_back(static_cast<float>(c * in.h * in.w));
  return combine(node, Binary::Kind::add, place, node.store().floats(dims, std::move(starts)));
}

}  // namespace

void max_pool(Node& node) {
  const Pooled input = pooled(node);
  if (node.wants(0)) node.set(0, pool(node, input, {.kind = Pooling::Kind::max, .y = {}, .x = {}}));
  if (node.wants(1)) node.set(1, places(node, input));
}

void average_pool(Node& node) {
  node.set(pool(node, pooled(node),
                {.kind = Pooling::Kind::average,
                 .y = {},
                 .x = {},
                 .count_padding = node.integer("count_include_pad", 0) != 0}));
}

}  // namespace shingle::onnx

// Expand and Tile: repeat elements.
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/selection/choice.hpp"

namespace shingle::onnx {

namespace {

constexpr size_t max_rank = 16;

Constant tiled_constant(Node& node, Constant constant, const Dims& times) {
  for (size_t dim = 0; dim < times.size(); ++dim) {
    if (times[dim] == 1) continue;
    std::vector<int64_t> indices = repeated_range(node, constant.dims[dim], times[dim]);
    const auto count = static_cast<int64_t>(indices.size());
    constant = gathered(node, constant, dim, node.store().integers({count}, std::move(indices)));
  }
  return constant;
}

}  // namespace

Box stretched(Node& node, Box box, const Dims& out) {
  box.view = padded(box.view, out.size());
  const Dims from = sizes(box.view);
  Choice choice(out.size());
  for (size_t dim = 0; dim < out.size(); ++dim) {
    if (from[dim] != out[dim]) choice[dim] = spaced(node, 0, 0, out[dim]);
  }
  return chosen(node, box, choice);
}

void expand(Node& node) {
  const Dims from = node.dims(0), wanted = node.integer_list(1);
  if (wanted.size() > max_rank) node.refuse("its output has more than 16 dimensions");
  const Dims out = broadcast(node, from, wanted);
  if (node.is_constant(0)) {
    return node.set(walked(node, node.constant(0),
                           {.dims = out, .strides = broadcast_strides(from, out), .begin = 0}));
  }
  node.new_map(out);  // refuses sizes beyond the limits
  node.set(stretched(node, node.box(0), out));
}

void tile(Node& node) {
  const Dims from = node.dims(0), times = node.integer_list(1);
  if (times.size() != from.size())
    node.refuse("it does not have one repetition for each dimension");
  Dims out = from;
  for (size_t dim = 0; dim < from.size(); ++dim) {
    if (times[dim] < 1 || times[dim] > (1 << 20)) {
      node.refuse("its repetitions hold " + std::to_string(times[dim]));
    }
    out[dim] *= times[dim];
  }
  checked_elements(out, node.store().limits);
  if (node.is_constant(0)) return node.set(tiled_constant(node, node.constant(0), times));
  node.new_map(out);  // refuses sizes beyond the limits
  Choice choice(from.size());
  for (size_t dim = 0; dim < from.size(); ++dim) {
    if (times[dim] > 1) choice[dim] = repeated_range(node, from[dim], times[dim]);
  }
  node.set(chosen(node, node.box(0), choice));
}

}  // namespace shingle::onnx

// LpPool and GlobalLpPool: the p-th root of a sum of p-th powers.
#include "partition/model/shape.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reduction.hpp"
#include "partition/readers/onnx/operators/window.hpp"

namespace shingle::onnx {

namespace {

int64_t exponent_of(const Node& node) {
  const int64_t p = node.integer("p", 2);
  if (p < 1 || p > 64) node.refuse("its p is " + std::to_string(p));
  return p;
}

Box raised(Node& node, const Box& box, int64_t p) {
  if (p == 2) return squared(node, box);
  const Box size = node.activate(box, {.kind = Activation::Kind::abs});
  return p == 1 ? size : combine(node, Binary::Kind::pow, size, static_cast<float>(p));
}

Box root(Node& node, const Box& box, int64_t p) {
  if (p == 1) return box;
  if (p == 2) return node.activate(box, {.kind = Activation::Kind::sqrt});
  return combine(node, Binary::Kind::pow, box, 1.0F / static_cast<float>(p));
}

// The windows, with padding enough for a last one that ceil rounding adds.
Windows rounded(const Node& node, const Dims& dims) {
  Windows result = windows(node, dims, node.integers("kernel_shape"));
  if (node.integer("ceil_mode", 0) == 0) return result;
  const auto widened = [](Window& window, int64_t size) {
    const int64_t more = outputs_of(window, size, true) - outputs_of(window, size, false);
    window.pad_end += static_cast<int32_t>(more * window.stride);
  };
  if (dims.size() == 4) widened(result.y, dims[2]);
  widened(result.x, dims.back());
  return result;
}

}  // namespace

// The sum over a window is a depthwise convolution with ones; its padding adds 0.
void lp_pool(Node& node) {
  const int64_t p = exponent_of(node);
  const Box input = node.as_image(0);
  const Dims dims = sizes(input.view);
  const Windows window = rounded(node, dims);
  const int64_t taps = int64_t{window.y.kernel} * window.x.kernel;
  if (taps > max_elements / dims[1]) node.refuse("its kernel is too large");
  node.store().budget.charge(taps * dims[1]);
  const std::vector<float> ones(static_cast<size_t>(taps * dims[1]), 1.0F);
  const Convolution sum{.y = window.y,
                        .x = window.x,
                        .groups = static_cast<int32_t>(dims[1]),
                        .weights = add_constant(node.model(), ones),
                        .bias = std::nullopt};
  Dims output{1, dims[1]};
  if (dims.size() == 4) output.push_back(output_size(window.y, static_cast<int32_t>(dims[2])));
  output.push_back(output_size(window.x, static_cast<int32_t>(dims.back())));
  const Box powers = raised(node, input, p);
  node.set(root(node, node.emit(sum, {powers.tensor}, node.new_map(output)), p));
}

void global_lp_pool(Node& node) {
  const int64_t p = exponent_of(node);
  const Box box = node.box(0);
  std::vector<bool> spatial(box.view.dims.size(), true);
  if (spatial.size() < 3) node.refuse("its input is " + text_of(sizes(box.view)));
  spatial[0] = spatial[1] = false;
  node.set(root(node, reduced(node, Reduction::Kind::sum, raised(node, box, p), spatial), p));
}

}  // namespace shingle::onnx

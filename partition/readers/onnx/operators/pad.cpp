// Pad. A border of one value is a layer of its own. Mirrored, repeated and wrapped borders, and
// slices by negative pads, choose elements of the map by index.
#include "partition/readers/onnx/operators/pad.hpp"

#include <algorithm>

#include "partition/base/text.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/selection/choice.hpp"

namespace shingle::onnx {

std::vector<size_t> padded_dims(Node& node, size_t rank) {
  std::vector<size_t> dims;
  if (node.opset() < 18 || !node.has(3)) {
    for (size_t dim = 0; dim < rank; ++dim) dims.push_back(dim);
    return dims;
  }
  for (const int64_t axis : node.integer_list(3)) {
    const size_t dim = node.axis(axis, rank);
    if (std::ranges::find(dims, dim) != dims.end()) node.refuse("it pads an axis twice");
    dims.push_back(dim);
  }
  return dims;
}

namespace {

enum class Border { constant, edge, reflect, wrap };

Border border_of(const Node& node) {
  const std::string_view mode = node.text("mode", "constant");
  if (mode == "constant") return Border::constant;
  if (mode == "edge") return Border::edge;
  if (mode == "reflect") return Border::reflect;
  if (mode == "wrap") return Border::wrap;
  node.refuse("its mode " + in_quotes(mode) + " is not supported");
}

Pads pads_of(Node& node, size_t rank) {
  const Dims pads = node.opset() < 11 ? node.integers("pads") : node.integer_list(1);
  const std::vector<size_t> dims = padded_dims(node, rank);
  if (pads.size() != 2 * dims.size()) node.refuse("it does not have two pads for each dimension");
  Pads result{.before = Dims(rank, 0), .after = Dims(rank, 0)};
  for (size_t i = 0; i < pads.size(); ++i) {
    if (pads[i] < -(1 << 20) || pads[i] > (1 << 20)) {
      node.refuse("its pads hold " + std::to_string(pads[i]) + ", which is too large");
    }
    (i < dims.size() ? result.before : result.after)[dims[i % dims.size()]] = pads[i];
  }
  return result;
}

// The index on a map of `size` that place `i` reads; `i` may lie off the map. A mirror repeats the
// map in alternating directions; the outermost element appears once.
int64_t looked_at(Border border, int64_t i, int64_t size) {
  if (border == Border::wrap) return (i % size + size) % size;
  if (border != Border::reflect || size == 1) return std::clamp<int64_t>(i, 0, size - 1);
  const int64_t period = 2 * (size - 1);
  const int64_t within = (i % period + period) % period;
  return within < size ? within : period - within;
}

// Indices along a dim of `size` after negative pads are cut and (not for constants) positive pads
// are added.
std::vector<int64_t> padded_indices(Node& node, Border border, int64_t size, int64_t before,
                                    int64_t after) {
  const int64_t cut = std::max<int64_t>(-before, 0);
  const int64_t left = size - cut - std::max<int64_t>(-after, 0);
  if (left < 1) node.refuse("its negative pads leave nothing of its input");
  const bool surrounds = border != Border::constant;
  const int64_t first = surrounds ? -std::max<int64_t>(before, 0) : 0;
  const int64_t last = left + (surrounds ? std::max<int64_t>(after, 0) : 0);
  if (cut == 0 && first == 0 && last == size) return {};
  std::vector<int64_t> indices = spaced(node, first, 1, last - first);
  for (int64_t& index : indices) index = cut + looked_at(border, index, left);
  return indices;
}

// True if the axis of `dim` holds no other dim.
bool whole_axis(const Dims& dims, const std::vector<Axis>& axes, size_t dim) {
  for (size_t other = 0; other < dims.size(); ++other) {
    if (other != dim && axes[other] == axes[dim] && dims[other] != 1) return false;
  }
  return true;
}

float pad_value(Node& node) {
  if (node.opset() < 11) return node.number("value", 0.0F);
  return node.has(2) ? node.scalar(2) : 0.0F;
}

}  // namespace

Box surrounded(Node& node, const Box& inner, const Pads& pads, float value) {
  const Box box = node.as_map(inner);
  const Dims dims = sizes(box.view);
  const std::vector<Axis> axes = map_axes(dims);
  Dims output = dims;
  Pad op{.value = value};
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    const int64_t before = std::max<int64_t>(pads.before[dim], 0);
    const int64_t after = std::max<int64_t>(pads.after[dim], 0);
    if (before == 0 && after == 0) continue;
    if (!whole_axis(dims, axes, dim)) {
      node.refuse("it pads one of several dimensions of channels, which is not supported");
    }
    const auto axis = static_cast<size_t>(axes[dim]);
    op.before[axis] = static_cast<int32_t>(before);
    op.after[axis] = static_cast<int32_t>(after);
    output[dim] += before + after;
  }
  if (output == dims) return inner;
  node.new_map(output);  // refuses sizes beyond the limits
  return node.emit(op, {box.tensor}, map_view(output, axes));
}

void pad(Node& node) {
  const Border border = border_of(node);
  const Box box = node.box(0);
  const Dims dims = sizes(box.view);
  const Pads pads = pads_of(node, dims.size());
  Choice choice;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    choice.push_back(padded_indices(node, border, dims[dim], pads.before[dim], pads.after[dim]));
  }
  const Box inner = chosen(node, box, choice);
  if (border != Border::constant) return node.set(inner);
  node.set(surrounded(node, inner, pads, pad_value(node)));
}

// What is cut or added is shared by both ends; an odd one falls to the end.
void center_crop_pad(Node& node) {
  const Box box = node.box(0);
  Dims axes = node.integers("axes");
  const Dims dims = sizes(box.view), wanted = node.integer_list(1);
  if (axes.empty()) {
    for (size_t dim = 0; dim < dims.size(); ++dim) axes.push_back(static_cast<int64_t>(dim));
  }
  if (axes.size() != wanted.size()) node.refuse("it does not have one size for each axis");
  Choice choice(dims.size());
  Pads pads{.before = Dims(dims.size(), 0), .after = Dims(dims.size(), 0)};
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t dim = node.axis(axes[i], dims.size());
    if (wanted[i] < 1 || wanted[i] > node.store().limits.max_dimension) {
      node.refuse("its sizes hold " + std::to_string(wanted[i]));
    }
    const int64_t more = wanted[i] - dims[dim];
    if (more < 0) choice[dim] = spaced(node, -more / 2, 1, wanted[i]);
    pads.before[dim] = std::max<int64_t>(more, 0) / 2;
    pads.after[dim] = std::max<int64_t>(more, 0) - pads.before[dim];
  }
  node.set(surrounded(node, chosen(node, box, choice), pads, 0.0F));
}

}  // namespace shingle::onnx

// Resize and Upsample: reads their attributes and operands.
#include <algorithm>
#include <cmath>

#include "partition/base/text.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/resampling.hpp"

namespace shingle::onnx {

namespace {

using Coordinates = Resampling::Coordinates;
using Kind = Resampling::Kind;
using Rounding = Resize::Rounding;

[[noreturn]] void refuse_mode(const Node& node, std::string_view what, std::string_view value) {
  node.refuse("its " + std::string(what) + " " + in_quotes(value) + " is not supported");
}

Kind kind_of(const Node& node) {
  const std::string_view mode = node.text("mode", "nearest");
  if (mode == "nearest") return Kind::nearest;
  if (mode == "linear" || mode == "bilinear") return Kind::linear;
  if (mode == "cubic") return Kind::cubic;
  refuse_mode(node, "mode", mode);
}

Coordinates coordinates_of(const Node& node) {
  constexpr std::string_view name = "coordinate_transformation_mode";
  const std::string_view mode = node.text(name, "half_pixel");
  if (mode == "half_pixel") return Coordinates::half_pixel;
  if (mode == "half_pixel_symmetric") return Coordinates::half_pixel_symmetric;
  if (mode == "pytorch_half_pixel") return Coordinates::pytorch_half_pixel;
  if (mode == "asymmetric") return Coordinates::asymmetric;
  if (mode == "align_corners") return Coordinates::align_corners;
  if (mode == "tf_half_pixel_for_nn") return Coordinates::tf_half_pixel_for_nn;
  if (mode == "tf_crop_and_resize") return Coordinates::tf_crop_and_resize;
  refuse_mode(node, name, mode);
}

Rounding rounding_of(const Node& node) {
  const std::string_view mode = node.text("nearest_mode", "round_prefer_floor");
  if (mode == "round_prefer_floor") return Rounding::prefer_floor;
  if (mode == "round_prefer_ceil") return Rounding::prefer_ceil;
  if (mode == "floor") return Rounding::floor;
  if (mode == "ceil") return Rounding::ceil;
  refuse_mode(node, "nearest_mode", mode);
}

std::vector<float> float_list(Node& node, size_t input) {
  const Constant& list = node.floats(input);
  if (list.count() > 32) node.refuse("it has more numbers than dimensions");
  std::vector<float> values;
  for (int64_t i = 0; i < list.count(); ++i) values.push_back(list.floats[i]);
  return values;
}

// The dims that roi, scales and sizes speak of, in their order: those of the attribute `axes`, or
// all. The other dims stay as they are.
std::vector<size_t> scaled_dims(const Node& node, size_t rank) {
  Dims axes = node.opset() >= 18 ? node.integers("axes") : Dims{};
  if (axes.empty()) {
    for (size_t dim = 0; dim < rank; ++dim) axes.push_back(static_cast<int64_t>(dim));
  }
  std::vector<size_t> dims;
  for (const int64_t axis : axes) {
    const size_t dim = node.axis(axis, rank);
    if (std::ranges::find(dims, dim) != dims.end()) node.refuse("it names an axis twice");
    dims.push_back(dim);
  }
  return dims;
}

// The part of the map that tf_crop_and_resize reads: all starts, then all ends.
void set_part(Node& node, Resampling& op, size_t rank) {
  const std::vector<float> roi = float_list(node, 1);
  const std::vector<size_t> dims = scaled_dims(node, rank);
  if (roi.size() != 2 * dims.size()) {
    node.refuse("its roi does not have two numbers for each dimension");
  }
  for (const float bound : roi) {
    if (!(std::abs(bound) < 0x1p20F)) node.refuse("its roi holds a number that is too large");
  }
  op.starts.assign(rank, 0.0F);
  op.ends.assign(rank, 1.0F);
  for (size_t i = 0; i < dims.size(); ++i) {
    op.starts[dims[i]] = roi[i];
    op.ends[dims[i]] = roi[dims.size() + i];
  }
}

int64_t as_size(float size) {
  return size < 0x1p40F ? static_cast<int64_t>(size) : int64_t{1} << 40;
}

void check_scale(const Node& node, float scale) {
  if (!(scale > 0.0F) || !(scale < 0x1p20F)) {
    node.refuse("its scale is not a number from 0 to a million");
  }
}

void set_scales(Node& node, Resampling& op, const Dims& input, const std::vector<float>& scales) {
  const std::vector<size_t> dims = scaled_dims(node, input.size());
  if (scales.size() != dims.size()) node.refuse("it does not have one scale for each dimension");
  op.scales.assign(input.size(), 1.0F);
  op.output = input;
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t dim = dims[i];
    check_scale(node, scales[i]);
    op.scales[dim] = scales[i];
    // In single precision, as other runtimes do: 10 * 0.7 is 7 there, but 6.9999999 in double.
    const float part = op.starts.empty() ? 1.0F : op.ends[dim] - op.starts[dim];
    op.output[dim] = as_size(std::floor(static_cast<float>(input[dim]) * part * scales[i]));
  }
}

// One scale for all dims: the smallest or the largest of those that the sizes ask for.
void keep_aspect(const Node& node, Resampling& op, const Dims& input, std::string_view policy) {
  std::optional<float> chosen;
  const std::vector<size_t> dims = scaled_dims(node, input.size());
  for (const size_t dim : dims) {
    const float scale = op.scales[dim];
    const bool better = policy == "not_larger" ? scale < chosen.value_or(scale + 1.0F)
                                               : scale > chosen.value_or(-1.0F);
    if (better) chosen = scale;
  }
  if (!chosen) return;
  check_scale(node, *chosen);
  for (const size_t dim : dims) {
    op.scales[dim] = *chosen;
    op.output[dim] = as_size(std::floor(*chosen * static_cast<float>(input[dim]) + 0.5F));
  }
}

void set_sizes(Node& node, Resampling& op, const Dims& input) {
  const Dims wanted = node.integer_list(3);
  const std::vector<size_t> dims = scaled_dims(node, input.size());
  if (wanted.size() != dims.size()) node.refuse("it does not have one size for each dimension");
  op.scales.assign(input.size(), 1.0F);
  op.output = input;
  for (size_t i = 0; i < dims.size(); ++i) {
    op.output[dims[i]] = wanted[i];
    op.scales[dims[i]] = static_cast<float>(wanted[i]) / static_cast<float>(input[dims[i]]);
  }
  const std::string_view policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "not_larger" || policy == "not_smaller") {
    keep_aspect(node, op, input, policy);
  } else if (policy != "stretch") {
    refuse_mode(node, "keep_aspect_ratio_policy", policy);
  }
}

}  // namespace

void resize(Node& node) {
  const Box box = node.box(0);
  const Dims dims = sizes(box.view);
  Resampling op{.kind = kind_of(node)};
  if (node.opset() < 11) {
    op.coordinates = Coordinates::asymmetric;
    op.rounding = Rounding::floor;
    set_scales(node, op, dims, float_list(node, 1));
    return node.set(resampled(node, box, op));
  }
  op.coordinates = coordinates_of(node);
  op.rounding = rounding_of(node);
  op.cubic_coefficient = node.number("cubic_coeff_a", -0.75F);
  op.exclude_outside = node.integer("exclude_outside", 0) != 0;
  op.antialias = node.integer("antialias", 0) != 0;
  op.extrapolation_value = node.number("extrapolation_value", 0.0F);
  if (op.coordinates == Coordinates::tf_crop_and_resize) set_part(node, op, dims.size());
  if (node.has(3)) {
    set_sizes(node, op, dims);
  } else {
    set_scales(node, op, dims, float_list(node, 2));
  }
  node.set(resampled(node, box, op));
}

void upsample(Node& node) {
  const Box box = node.box(0);
  const Dims dims = sizes(box.view);
  Resampling op{
      .kind = kind_of(node), .coordinates = Coordinates::asymmetric, .rounding = Rounding::floor};
  std::vector<float> scales;
  if (node.opset() >= 9) {
    scales = float_list(node, 1);
  } else if (const Attribute* attribute = node.attribute("scales")) {
    scales = attribute->floats;
  } else {
    scales = {1.0F, 1.0F, node.number("height_scale", 1.0F), node.number("width_scale", 1.0F)};
  }
  set_scales(node, op, dims, scales);
  node.set(resampled(node, box, op));
}

}  // namespace shingle::onnx

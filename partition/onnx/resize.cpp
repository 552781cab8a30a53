// Resize and Upsample.
#include <cmath>

#include "partition/onnx/operators.hpp"
#include "partition/text.hpp"

namespace shingle::onnx {

namespace {

using Coordinates = Resize::Coordinates;
using Rounding = Resize::Rounding;

[[noreturn]] void refuse_mode(const Node& node, std::string_view what, std::string_view value) {
  node.refuse("its " + std::string(what) + " " + quoted(value) + " is not supported");
}

Resize::Kind kind_of(const Node& node) {
  const std::string_view mode = node.text("mode", "nearest");
  if (mode == "nearest") return Resize::Kind::nearest;
  if (mode == "linear" || mode == "bilinear") return Resize::Kind::linear;
  refuse_mode(node, "mode", mode);
}

Coordinates coordinates_of(const Node& node) {
  constexpr std::string_view name = "coordinate_transformation_mode";
  const std::string_view mode = node.text(name, "half_pixel");
  if (mode == "half_pixel") return Coordinates::half_pixel;
  if (mode == "pytorch_half_pixel") return Coordinates::pytorch_half_pixel;
  if (mode == "asymmetric") return Coordinates::asymmetric;
  if (mode == "align_corners") return Coordinates::align_corners;
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

// One scale for each dim of the input, and the sizes that come of them.
struct Scaling {
  std::vector<float> scales;
  Dims output;
};

Scaling by_scales(Node& node, const Dims& input, const std::vector<float>& scales) {
  if (scales.size() != input.size()) node.refuse("it has not one scale for each dimension");
  Scaling result{.scales = scales, .output = {}};
  for (size_t dim = 0; dim < input.size(); ++dim) {
    if (!(scales[dim] > 0.0F) || !(scales[dim] < 0x1p20F)) {
      node.refuse("its scale is not a number from 0 to a million");
    }
    // In single precision, as runtimes do: 10 * 0.7 is 7 there, and 6.9999999 in double.
    const float size = std::floor(scales[dim] * static_cast<float>(input[dim]));
    result.output.push_back(static_cast<int64_t>(size));
  }
  return result;
}

Scaling by_sizes(Node& node, const Dims& input, const Dims& output) {
  if (output.size() != input.size()) node.refuse("it has not one size for each dimension");
  Scaling result{.scales = {}, .output = output};
  for (size_t dim = 0; dim < input.size(); ++dim) {
    result.scales.push_back(static_cast<float>(output[dim]) / static_cast<float>(input[dim]));
  }
  return result;
}

std::vector<float> float_list(Node& node, size_t input) {
  const Constant& list = node.floats(input);
  if (list.count() > 16) node.refuse("it has more than 16 scales");
  std::vector<float> values;
  for (int64_t i = 0; i < list.count(); ++i) values.push_back(list.floats[i]);
  return values;
}

void scale(Node& node, Resize op, const Box& input, const Scaling& scaling) {
  const Dims dims = sizes(input.view);
  if (scaling.output[0] != 1 || scaling.output[1] != dims[1]) {
    node.refuse("it resizes " + text_of(dims) + " to " + text_of(scaling.output) +
                ", and shingle resizes height and width");
  }
  const View view = node.new_map(scaling.output);
  op.scale_x = scaling.scales.back();
  op.scale_y = dims.size() == 4 ? scaling.scales[2] : 1.0F;
  node.set(node.emit(op, {input.tensor}, view, box_shape(view)));
}

}  // namespace

void resize(Node& node) {
  Resize op{.kind = kind_of(node)};
  const Box input = node.as_image(0);
  const Dims dims = sizes(input.view);
  if (node.opset() < 11) {
    op.coordinates = Coordinates::asymmetric;
    op.rounding = Rounding::floor;
    return scale(node, op, input, by_scales(node, dims, float_list(node, 1)));
  }
  op.coordinates = coordinates_of(node);
  op.rounding = rounding_of(node);
  if (node.integer("exclude_outside", 0) != 0) refuse_mode(node, "exclude_outside", "1");
  if (node.has(3)) return scale(node, op, input, by_sizes(node, dims, node.integer_list(3)));
  scale(node, op, input, by_scales(node, dims, float_list(node, 2)));
}

void upsample(Node& node) {
  const Resize op{
      .kind = kind_of(node), .coordinates = Coordinates::asymmetric, .rounding = Rounding::floor};
  const Box input = node.as_image(0);
  const Attribute* attribute = node.attribute("scales");
  const std::vector<float> scales =
      node.opset() < 9 && attribute != nullptr ? attribute->floats : float_list(node, 1);
  scale(node, op, input, by_scales(node, sizes(input.view), scales));
}

}  // namespace shingle::onnx

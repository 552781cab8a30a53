// DeformConv: a convolution each of whose taps reads beside its place, by an offset that another
// value gives. All taps of a group of channels are read by one GridSample, the taps below each
// other; then they are channels, and the convolution is one of 1x1.
#include "partition/model/shape.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/places/places.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/selection/selection.hpp"
#include "partition/readers/onnx/operators/window.hpp"

namespace shingle::onnx {

namespace {

using Kind = Binary::Kind;

struct Deformed {
  Windows window;
  int64_t rows = 0, columns = 0;  // of the kernel
  int64_t height = 0, width = 0;  // of the output
  int64_t groups = 1, offset_groups = 1;

  int64_t taps() const { return rows * columns; }
};

Deformed deformed(Node& node, const Dims& dims, const Dims& weights) {
  if (dims.size() != 4 || weights.size() != 4) {
    node.refuse("its input " + text_of(dims) + " and its weights " + text_of(weights) +
                " are not of height and width");
  }
  const Dims kernel{weights[2], weights[3]};
  Deformed op{.window = windows(node, dims, kernel), .rows = kernel[0], .columns = kernel[1]};
  op.groups = node.integer("group", 1);
  op.offset_groups = node.integer("offset_group", 1);
  const int64_t channels = dims[1];
  const bool fits = op.groups >= 1 && op.offset_groups >= 1 && channels % op.groups == 0 &&
                    channels % op.offset_groups == 0 && weights[1] == channels / op.groups &&
                    weights[0] % op.groups == 0;
  if (!fits) {
    node.refuse("its weights " + text_of(weights) + " in " + std::to_string(op.groups) +
                " groups, with " + std::to_string(op.offset_groups) +
                " of offsets, do not fit an input of " + text_of(dims));
  }
  op.height = output_size(op.window.y, static_cast<int32_t>(dims[2]));
  op.width = output_size(op.window.x, static_cast<int32_t>(dims[3]));
  node.new_map({1, channels, op.taps() * op.height, op.width});  // refuses what is too large
  return op;
}

// A part of an input of `groups` times as many elements, as `dims`.
Value group_of(Node& node, size_t input, int64_t group, int64_t groups, const Dims& dims) {
  Dims all{groups};
  all.insert(all.end(), dims.begin(), dims.end());
  const Value value = reshaped_value(node, node.value(input), all);
  return reshaped_value(node, groups == 1 ? value : picked(node, value, 0, {group}), dims);
}

// The coordinate of a pixel, of which -1 and 1 are the outer edges of the map's first and last.
float coordinate(int64_t pixel, int64_t size) {
  const auto at = static_cast<double>(pixel), count = static_cast<double>(size);
  return static_cast<float>((2.0 * at + 1.0) / count - 1.0);
}

// [taps][height][width][2]: x and y of each tap without its offset.
Constant regular(Node& node, const Deformed& op, const Dims& map) {
  const Dims dims{op.taps(), op.height, op.width, 2};
  node.store().budget.charge(checked_elements(dims, node.store().limits));
  std::vector<float> values;
  const auto pixel = [](const Window& window, int64_t tap, int64_t out) {
    return out * window.stride - window.pad_begin + tap * window.dilation;
  };
  for (int64_t tap = 0; tap < op.taps(); ++tap) {
    for (int64_t y = 0; y < op.height; ++y) {
      for (int64_t x = 0; x < op.width; ++x) {
        values.push_back(coordinate(pixel(op.window.x, tap % op.columns, x), map[3]));
        values.push_back(coordinate(pixel(op.window.y, tap / op.columns, y), map[2]));
      }
    }
  }
  return node.store().floats(dims, std::move(values));
}

// The file has offsets as [taps][y, x][height][width], in pixels.
Value places(Node& node, const Deformed& op, const Dims& map, int64_t group) {
  Value offsets = group_of(node, 2, group, op.offset_groups, {op.taps(), 2, op.height, op.width});
  offsets = permuted(node, offsets, {0, 2, 3, 1});
  offsets = picked(node, offsets, 3, {1, 0});
  const Constant pixel = node.store().floats(
      {2}, {2.0F / static_cast<float>(map[3]), 2.0F / static_cast<float>(map[2])});
  const Value scaled = computed(node, "Mul", offsets, pixel);
  const Value moved = computed(node, "Add", scaled, regular(node, op, map));
  return reshaped_value(node, moved, {1, op.taps() * op.height, op.width, 2});
}

// [1][channels of the group * taps][height][width]
Box taps_of(Node& node, const Deformed& op, const Box& map, int64_t group) {
  const Dims dims = sizes(map.view);
  const int64_t channels = dims[1] / op.offset_groups;
  std::vector<int64_t> own;
  for (int64_t c = group * channels; c < (group + 1) * channels; ++c) own.push_back(c);
  const Box part = op.offset_groups == 1 ? map : gathered_box(node, map, 1, own);
  Box taps = sampled(node, part, places(node, op, dims, group), {});
  if (node.has(4)) {
    const Value mask =
        group_of(node, 4, group, op.offset_groups, {1, 1, op.taps() * op.height, op.width});
    taps = combine(node, Kind::mul, taps, mask);
  }
  taps = reshaped_box(node, taps, {1, channels, op.taps(), op.height, op.width});
  return node.as_map(reshaped_box(node, taps, {1, channels * op.taps(), op.height, op.width}));
}

void check_values(Node& node, const Deformed& op) {
  const int64_t taps = op.offset_groups * op.taps();
  const Dims offsets{1, taps * 2, op.height, op.width}, mask{1, taps, op.height, op.width};
  for (const auto& [input, wanted] : {std::pair<size_t, Dims>{2, offsets}, {4, mask}}) {
    if (input == 4 && !node.has(4)) continue;
    if (node.is_constant(input)) static_cast<void>(node.floats(input));  // refuses integers
    if (node.dims(input) == wanted) continue;
    node.refuse("its input " + std::to_string(input) + " is " + text_of(node.dims(input)) +
                " and not " + text_of(wanted));
  }
}

std::optional<ConstantId> bias_of(Node& node, int64_t channels) {
  if (!node.has(3)) return std::nullopt;
  const Constant& bias = node.floats(3);
  if (bias.count() != channels) node.refuse("its bias is not one value for each channel");
  return node.constant_id(bias.floats);
}

}  // namespace

void deform_conv(Node& node) {
  const Box map = node.as_image(0);
  const Constant& weights = node.floats(1);
  const Dims shape = weights.dims;
  const Deformed op = deformed(node, sizes(map.view), shape);
  check_values(node, op);
  std::vector<TensorId> parts;
  for (int64_t group = 0; group < op.offset_groups; ++group)
    parts.push_back(taps_of(node, op, map, group).tensor);
  const int64_t channels = size_of(map.view, 1) * op.taps();
  TensorId taps = parts[0];
  if (parts.size() > 1) {
    const View joined = node.new_map({1, channels, op.height, op.width});
    taps = node.emit(Concat{Axis::c}, std::move(parts), joined).tensor;
  }
  const View view = node.new_map({1, shape[0], op.height, op.width});
  node.set(node.emit(Convolution{.y = {},
                                 .x = {},
                                 .groups = static_cast<int32_t>(op.groups),
                                 .weights = node.constant_id(weights.floats),
                                 .bias = bias_of(node, shape[0])},
                     {taps}, view));
}

}  // namespace shingle::onnx

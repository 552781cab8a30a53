// Conv, ConvTranspose and BatchNormalization.
#include <cmath>

#include "partition/model/shape.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/window.hpp"
#include "partition/readers/onnx/patterns/chains.hpp"

namespace shingle::onnx {

namespace {

int32_t groups_of(const Node& node) {
  const int64_t groups = node.integer("group", 1);
  if (groups < 1 || groups > INT32_MAX) {
    node.refuse("it has " + std::to_string(groups) + " groups");
  }
  return static_cast<int32_t>(groups);
}

// The weights; they have as many dims as the input. All dims but the first two are the kernel.
const Constant& weights_of(Node& node, const Dims& input) {
  const Constant& weights = node.floats(1);
  if (weights.dims.size() != input.size()) {
    node.refuse("its weights are " + text_of(weights.dims) + " for an input of " + text_of(input));
  }
  const Dims kernel(weights.dims.begin() + 2, weights.dims.end());
  if (node.integers("kernel_shape", kernel) != kernel) {
    node.refuse("its kernel_shape is not that of its weights " + text_of(weights.dims));
  }
  return weights;
}

std::optional<ConstantId> bias_of(Node& node, int64_t channels) {
  if (!node.has(2)) return std::nullopt;
  const Constant& bias = node.floats(2);
  if (bias.count() != channels) {
    node.refuse("its bias holds " + std::to_string(bias.count()) + " values for " +
                std::to_string(channels) + " channels");
  }
  return node.constant_id(bias.floats);
}

struct TransposedAxis {
  int64_t input = 1, output_padding = 0;
  std::optional<int64_t> output;  // if the file gives it
  int64_t pad_begin = 0, pad_end = 0;
};

// Computes the pads of one axis; returns its output size.
int64_t settle(Node& node, Window& window, TransposedAxis axis) {
  const auto check = [&](int64_t value, int64_t most) {
    if (value < 0 || value > most) node.refuse("its padding or output is negative or too large");
  };
  check(axis.output_padding, max_window);
  if (axis.output) check(*axis.output, max_axis);
  const int64_t grown = (axis.input - 1) * window.stride + extent(window) + axis.output_padding;
  const std::string_view mode = node.text("auto_pad", "NOTSET");
  const bool upper = mode == "SAME_UPPER";
  if (!axis.output && (upper || mode == "SAME_LOWER")) axis.output = axis.input * window.stride;
  if (axis.output) {
    const int64_t total = std::max<int64_t>(grown - *axis.output, 0);
    axis.pad_begin = upper ? total / 2 : total - total / 2;
    axis.pad_end = total - axis.pad_begin;
  }
  check(axis.pad_begin, max_window);
  check(axis.pad_end, max_window);
  window.pad_begin = static_cast<int32_t>(axis.pad_begin);
  window.pad_end = static_cast<int32_t>(axis.pad_end);
  return axis.output.value_or(grown - axis.pad_begin - axis.pad_end);
}

// The spatial sizes of the output.
Dims settle_all(Node& node, const Dims& input, Windows& windows) {
  const size_t spatial = input.size() - 2;
  const Dims pads = list_attribute(node, "pads", 2 * spatial, 0);
  const Dims extra = list_attribute(node, "output_padding", spatial, 0);
  Dims demanded = node.integers("output_shape");
  if (demanded.size() == input.size()) demanded.erase(demanded.begin(), demanded.begin() + 2);
  if (!demanded.empty() && demanded.size() != spatial) {
    node.refuse("its output_shape has " + std::to_string(demanded.size()) + " numbers");
  }
  Dims output;
  for (size_t i = 0; i < spatial; ++i) {
    TransposedAxis axis{.input = input[i + 2],
                        .output_padding = extra[i],
                        .output = std::nullopt,
                        .pad_begin = pads[i],
                        .pad_end = pads[spatial + i]};
    if (!demanded.empty()) axis.output = demanded[i];
    output.push_back(settle(node, i + 1 == spatial ? windows.x : windows.y, axis));
  }
  return output;
}

Affine affine_of(Node& node, int64_t channels) {
  for (size_t input = 1; input < 5; ++input) {
    if (node.floats(input).count() != channels) {
      node.refuse("its input " + std::to_string(input) + " does not hold one value for each of " +
                  std::to_string(channels) + " channels");
    }
  }
  node.store().budget.charge(4 * channels);
  const FloatView scale = node.floats(1).floats, shift = node.floats(2).floats;
  const FloatView mean = node.floats(3).floats, variance = node.floats(4).floats;
  const double epsilon = node.number("epsilon", 1e-5F);
  Affine affine;
  for (int64_t m = 0; m < channels; ++m) {
    const double factor = scale[m] / std::sqrt(double{variance[m]} + epsilon);
    affine.scale.push_back(static_cast<float>(factor));
    affine.shift.push_back(static_cast<float>(shift[m] - mean[m] * factor));
  }
  return affine;
}

// Are the normalised channels the channels of the tensor?
bool are_whole_channels(const Box& box) {
  const std::optional<Digit> channels = digit_of(box.view, 1);
  return channels && channels->axis == Axis::c && channels->outer == 1 && channels->inner == 1;
}

}  // namespace

void conv(Node& node) {
  const Box input = node.as_image(0);
  const Dims dims = sizes(input.view);
  const Constant& weights = weights_of(node, dims);
  const int32_t groups = groups_of(node);
  const int64_t channels = weights.dims[0];
  if (weights.dims[1] * groups != dims[1]) {
    node.refuse("its weights " + text_of(weights.dims) + " in " + std::to_string(groups) +
                " groups do not fit an input of " + text_of(dims));
  }
  const Windows window = windows(node, dims, {weights.dims.begin() + 2, weights.dims.end()});
  Dims output{1, channels};
  if (dims.size() == 4) output.push_back(output_size(window.y, static_cast<int32_t>(dims[2])));
  output.push_back(output_size(window.x, static_cast<int32_t>(dims.back())));
  const View view = node.new_map(output);
  Convolution op{.y = window.y,
                 .x = window.x,
                 .groups = groups,
                 .weights = node.constant_id(weights.floats),
                 .bias = bias_of(node, channels)};
  const Box read = absorbed(node, input, op);
  node.set(node.emit(op, {read.tensor}, view));
}

void conv_transpose(Node& node) {
  const Box input = node.as_image(0);
  const Dims dims = sizes(input.view);
  const Constant& weights = weights_of(node, dims);
  const int32_t groups = groups_of(node);
  if (weights.dims[0] != dims[1]) {
    node.refuse("its weights " + text_of(weights.dims) + " do not fit an input of " +
                text_of(dims));
  }
  Windows window = unpadded_windows(node, dims, {weights.dims.begin() + 2, weights.dims.end()});
  Dims output{1, weights.dims[1] * groups};
  for (const int64_t size : settle_all(node, dims, window)) output.push_back(size);
  const View view = node.new_map(output);
  const std::optional<ConstantId> bias = bias_of(node, output[1]);
  node.set(node.emit(TransposedConvolution{.y = window.y,
                                           .x = window.x,
                                           .groups = groups,
                                           .weights = node.constant_id(weights.floats),
                                           .bias = bias},
                     {input.tensor}, view, box_shape(view)));
}

void batch_normalization(Node& node) {
  if (node.integer("training_mode", 0) != 0) node.refuse("it is in training mode");
  const Box box = node.box(0);
  const Dims dims = sizes(box.view);
  if (dims.size() < 2) node.refuse("its input is " + text_of(dims));
  const Affine affine = affine_of(node, dims[1]);
  if (are_whole_channels(box) && folded(node, box, affine)) return node.set(box);
  if (are_whole_channels(box))
    if (const auto shorter = shortened(node, {box, affine})) return node.set(*shorter);
  Dims channels(dims.size() - 1, 1);
  channels[0] = dims[1];
  const Box scaled =
      combine(node, Binary::Kind::mul, box, node.store().floats(channels, affine.scale));
  const Box result =
      combine(node, Binary::Kind::add, scaled, node.store().floats(channels, affine.shift));
  if (are_whole_channels(box)) lengthened(node, {box, affine}, 2, result);
  node.set(result);
}

}  // namespace shingle::onnx

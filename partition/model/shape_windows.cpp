// Shapes of what slides a window over a map.
#include "partition/model/shape_inference.hpp"

namespace shingle {

namespace {

bool sound(const Window& window) {
  const auto in = [](int32_t value, int32_t low) { return value >= low && value <= max_window; };
  return in(window.kernel, 1) && in(window.stride, 1) && in(window.dilation, 1) &&
         in(window.pad_begin, 0) && in(window.pad_end, 0) &&
         int64_t{window.kernel - 1} * window.dilation < max_axis;
}

Error bad_window() {
  return Error{"its kernel, stride, dilation or padding is out of range (1 to " +
               std::to_string(max_window) + ", padding from 0)"};
}

// How far the window can move on the map; negative if it does not fit.
int64_t room(const Window& window, int32_t size) {
  return int64_t{size} + window.pad_begin + window.pad_end - extent(window);
}

// Number of channels in the weights, if each channel has `per_channel` of them and the bias agrees.
Result<int64_t> channels_of(const Model& model, ConstantId weights, std::optional<ConstantId> bias,
                            int64_t per_channel, int32_t groups) {
  const std::optional<int64_t> count = count_of(model, weights);
  if (!count || *count == 0 || *count % per_channel != 0) {
    return Error{"its weights do not hold a whole number of channels of " +
                 std::to_string(per_channel) + " values"};
  }
  const int64_t channels = *count / per_channel;
  if (channels > max_axis || channels % groups != 0) {
    return Error{"its " + std::to_string(channels) + " output channels do not divide into " +
                 std::to_string(groups) + " groups"};
  }
  if (bias && count_of(model, *bias) != channels) {
    return Error{"its bias does not hold one value for each of " + std::to_string(channels) +
                 " output channels"};
  }
  return channels;
}

}  // namespace

ShapeResult Inference::operator()(const Convolution& op) const {
  if (!sound(op.y) || !sound(op.x)) return bad_window();
  const Status groups = check_groups(op.groups, shape(0));
  if (!groups) return groups.failure();
  const int64_t taps = int64_t{op.y.kernel} * op.x.kernel;  // at most 2^40
  const int64_t group_channels = shape(0).c / op.groups;
  if (taps > max_elements / group_channels) return Error{"its kernel is too large"};
  const Result<int64_t> channels =
      channels_of(model, op.weights, op.bias, taps * group_channels, op.groups);
  if (!channels) return channels.failure();
  return exactly({output_size(op.y, shape(0).h), output_size(op.x, shape(0).w), *channels});
}

ShapeResult Inference::operator()(const TransposedConvolution& op) const {
  if (!sound(op.y) || !sound(op.x)) return bad_window();
  const Status groups = check_groups(op.groups, shape(0));
  if (!groups) return groups.failure();
  const int64_t taps = int64_t{op.y.kernel} * op.x.kernel;
  if (taps > max_elements / shape(0).c) return Error{"its kernel is too large"};
  // Weights are [input channels][output channels / groups][taps].
  const Result<int64_t> group_outputs =
      channels_of(model, op.weights, std::nullopt, taps * shape(0).c, 1);
  if (!group_outputs) return group_outputs.failure();
  const int64_t channels = *group_outputs * op.groups;
  if (op.bias && count_of(model, *op.bias) != channels) {
    return Error{"its bias does not hold one value for each output channel"};
  }
  const auto grown = [](const Window& window, int32_t size) {
    return int64_t{size - 1} * window.stride + extent(window) - window.pad_begin - window.pad_end;
  };
  return AllowedShape{{grown(op.y, shape(0).h), grown(op.x, shape(0).w), channels},
                      {1, 1, channels},
                      {max_axis, max_axis, channels}};
}

ShapeResult Inference::operator()(const Pooling& op) const {
  if (!sound(op.y) || !sound(op.x)) return bad_window();
  const auto rounded_up = [](const Window& window, int32_t size) {
    const int64_t steps = room(window, size) + window.stride - 1;
    return steps < 0 ? 0 : steps / window.stride + 1;
  };
  const Shape in = shape(0);
  if (op.kind == Pooling::Kind::max_place && int64_t{in.h} * in.w > max_index)
    return Error{"its places are too large for a 32-bit float"};
  const Extent floor{output_size(op.y, in.h), output_size(op.x, in.w), in.c};
  return AllowedShape{floor, floor, {rounded_up(op.y, in.h), rounded_up(op.x, in.w), in.c}};
}

}  // namespace shingle

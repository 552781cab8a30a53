#include "tests/networks/builder.hpp"

#include <cmath>

namespace shingle::networks {

std::string Builder::next_name(const Operator& op) const {
  return name_of(op) + std::string("_") + std::to_string(model_.layers.size());
}

TensorId Builder::layer(Operator op, std::vector<TensorId> inputs, Activation activation) {
  std::string name = next_name(op);
  return add_layer(model_, std::move(name), std::move(op), std::move(inputs), activation);
}

TensorId Builder::layer(Operator op, std::vector<TensorId> inputs, Activation activation,
                        Shape output) {
  std::string name = next_name(op);
  return add_layer(model_, std::move(name), std::move(op), std::move(inputs), activation, output);
}

TensorId Builder::input(Shape shape) { return add_input(model_, "image", shape); }

ConstantId Builder::weights(int64_t count, int64_t fan_in, float gain) {
  const float deviation = gain * std::sqrt(2.0F / static_cast<float>(fan_in));
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = random_.normal() * deviation;
  return add_constant(model_, std::move(values));
}

ConstantId Builder::bias(int32_t channels) {
  std::vector<float> values(static_cast<size_t>(channels));
  for (float& value : values) value = random_.uniform(-0.1F, 0.1F);
  return add_constant(model_, std::move(values));
}

TensorId Builder::convolution(TensorId input, const ConvolutionOptions& options) {
  const int32_t pad = options.kernel / 2;
  const Window window{options.kernel, options.stride, 1, pad, pad};
  const int64_t fan_in = int64_t{shape(input).c} / options.groups * options.kernel * options.kernel;
  const ConstantId w = weights(fan_in * options.channels, fan_in, options.gain);
  const ConstantId b = bias(options.channels);
  return layer(
      Convolution{.y = window, .x = window, .groups = options.groups, .weights = w, .bias = b},
      {input}, options.activation);
}

TensorId Builder::transposed_twofold(TensorId input, int32_t channels) {
  const Window window{2, 2, 1, 0, 0};
  const Shape in = shape(input);
  // Exactly one of the four taps reaches each output, so the inputs per output are the input
  // channels.
  const ConstantId w = weights(int64_t{in.c} * channels * 4, in.c);
  const ConstantId b = bias(channels);
  return layer(
      TransposedConvolution{.y = window, .x = window, .groups = 1, .weights = w, .bias = b},
      {input}, none, Shape{in.h * 2, in.w * 2, channels});
}

TensorId Builder::max_pool(TensorId input, Window window) {
  return layer(Pooling{.kind = Pooling::Kind::max, .y = window, .x = window}, {input});
}

TensorId Builder::global_average(TensorId input) {
  const TensorId rows = layer(Reduction{.kind = Reduction::Kind::mean, .x = true}, {input});
  return layer(Reduction{.kind = Reduction::Kind::mean, .y = true}, {rows});
}

TensorId Builder::concat(std::vector<TensorId> inputs, Axis axis) {
  return layer(Concat{axis}, std::move(inputs));
}

TensorId Builder::add(TensorId a, TensorId b, Activation activation) {
  return layer(Binary{Binary::Kind::add}, {a, b}, activation);
}

TensorId Builder::binary(Binary::Kind kind, TensorId a, TensorId b) {
  return layer(Binary{kind}, {a, b});
}

TensorId Builder::constant(Shape shape, std::vector<float> values) {
  return add_constant_tensor(model_, "constant_" + std::to_string(model_.tensors.size()), shape,
                             std::move(values));
}

TensorId Builder::channels(TensorId input, Span range) {
  const Shape in = shape(input);
  return layer(StridedSlice{.begin = {0, 0, range.begin}}, {input}, none,
               Shape{in.h, in.w, range.size()});
}

TensorId Builder::upsample_nearest(TensorId input) {
  return layer(Resize{.kind = Resize::Kind::nearest,
                      .coordinates = Resize::Coordinates::asymmetric,
                      .rounding = Resize::Rounding::floor,
                      .scale_y = 2.0F,
                      .scale_x = 2.0F},
               {input});
}

TensorId Builder::upsample_linear(TensorId input) {
  return layer(Resize{.kind = Resize::Kind::linear, .scale_y = 2.0F, .scale_x = 2.0F}, {input});
}

void Builder::output(TensorId tensor) {
  const size_t index = model_.outputs.size();
  add_output(model_, index == 0 ? "output" : "output" + std::to_string(index), tensor);
}

Model Builder::finish(std::string_view title) && {
  model_.hash = sha256(title);
  return std::move(model_);
}

}  // namespace shingle::networks

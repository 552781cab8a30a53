#include "tests/devices/layers.hpp"

#include <cmath>

#include "devices/native/native_executor.hpp"
#include "devices/native/reference.hpp"

namespace shingle::tests {

std::unique_ptr<Executor> make_executor(bool native) {
  if (native) return std::make_unique<NativeExecutor>();
  return std::make_unique<ReferenceExecutor>();
}

std::vector<float> random_values(int64_t count, uint64_t seed) {
  return networks::random_input({1, 1, static_cast<int32_t>(count)}, seed);
}

Model convolution_model(Shape in, const ConvolutionLayer& layer, uint64_t seed) {
  Model model;
  const TensorId input = add_input(model, "input", in);
  const int64_t fan_in = int64_t{in.c / layer.groups} * layer.y.kernel * layer.x.kernel;
  std::vector<float> weights = random_values(fan_in * layer.outputs, seed);
  for (float& weight : weights) weight *= std::sqrt(3.0F / static_cast<float>(fan_in));
  const Convolution op{.y = layer.y,
                       .x = layer.x,
                       .groups = layer.groups,
                       .weights = add_constant(model, std::move(weights)),
                       .bias = add_constant(model, random_values(layer.outputs, seed + 1))};
  add_output(model, "output", add_layer(model, "convolution", op, {input}, layer.activation));
  return model;
}

Model layer_model(Shape in, Operator op, Activation activation) {
  Model model;
  const TensorId input = add_input(model, "input", in);
  add_output(model, "output", add_layer(model, "layer", std::move(op), {input}, activation));
  return model;
}

Window square(int32_t kernel, int32_t stride, int32_t dilation) {
  const int32_t pad = (kernel - 1) * dilation;
  return {.kernel = kernel,
          .stride = stride,
          .dilation = dilation,
          .pad_begin = pad / 2,
          .pad_end = pad - pad / 2};
}

}  // namespace shingle::tests

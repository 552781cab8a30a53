// Builder: a model under construction. Its weights are drawn from one seed and scaled by He's rule
// (deviation sqrt(2 / inputs per output)), so that activations neither vanish nor explode with
// depth.
#pragma once

#include <string_view>

#include "tests/networks/networks.hpp"

namespace shingle::networks {

inline constexpr Activation none{};
inline constexpr Activation relu{.kind = Activation::Kind::relu};
inline constexpr Activation relu6{.kind = Activation::Kind::clip, .alpha = 0.0F, .beta = 6.0F};
inline constexpr Activation leaky{.kind = Activation::Kind::leaky_relu, .alpha = 0.1F};
inline constexpr Activation silu{.kind = Activation::Kind::silu};
inline constexpr Activation sigmoid{.kind = Activation::Kind::sigmoid};

struct ConvolutionOptions {
  int32_t channels = 1;
  int32_t kernel = 3;  // padded by kernel/2 on all sides
  int32_t stride = 1;
  int32_t groups = 1;
  Activation activation = none;
  float gain = 1.0F;  // below 1 if the result is added to the branch's own input
};

class Builder {
 public:
  explicit Builder(uint64_t seed) : random_(seed) {}

  TensorId input(Shape shape);
  TensorId convolution(TensorId input, const ConvolutionOptions& options);
  TensorId transposed_twofold(TensorId input, int32_t channels);  // 2x2, stride 2
  TensorId max_pool(TensorId input, Window window);               // the same along y and x
  TensorId global_average(TensorId input);
  TensorId concat(std::vector<TensorId> inputs, Axis axis = Axis::c);
  TensorId add(TensorId a, TensorId b, Activation activation = none);
  TensorId binary(Binary::Kind kind, TensorId a, TensorId b);
  TensorId constant(Shape shape, std::vector<float> values);
  TensorId channels(TensorId input, Span range);
  TensorId upsample_nearest(TensorId input);  // by 2
  TensorId upsample_linear(TensorId input);   // by 2, half pixel
  TensorId layer(Operator op, std::vector<TensorId> inputs, Activation activation = none);
  TensorId layer(Operator op, std::vector<TensorId> inputs, Activation activation, Shape output);
  void output(TensorId tensor);

  Shape shape(TensorId tensor) const { return model_.at(tensor).shape; }
  Random& random() { return random_; }
  Model& model() { return model_; }

  // He-scaled weights of `count` values with `fan_in` inputs per output; small biases.
  ConstantId weights(int64_t count, int64_t fan_in, float gain = 1.0F);
  ConstantId bias(int32_t channels);

  // The finished model. Its hash is that of `title`, which must determine the model.
  Model finish(std::string_view title) &&;

 private:
  std::string next_name(const Operator& op) const;

  Model model_;
  Random random_;
};

}  // namespace shingle::networks

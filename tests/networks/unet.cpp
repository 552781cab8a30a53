// U-Net with padded convolutions, 32 channels at full size. The two deep up-sampling steps are
// transposed convolutions; the two shallow ones resize (linear, then nearest). Deployed networks
// use both kinds.
#include "tests/networks/named.hpp"

namespace shingle::networks {

namespace {

constexpr Window halve{.kernel = 2, .stride = 2};

TensorId double_convolution(Builder& builder, TensorId x, int32_t channels) {
  x = builder.convolution(x, {.channels = channels, .activation = relu});
  return builder.convolution(x, {.channels = channels, .activation = relu});
}

TensorId step_up(Builder& builder, TensorId x, int32_t channels) {
  if (channels >= 128) return builder.transposed_twofold(x, channels);
  x = channels == 64 ? builder.upsample_linear(x) : builder.upsample_nearest(x);
  return builder.convolution(x, {.channels = channels, .kernel = 1});
}

// Four halvings from `channels` at full size, then four up-sampling steps, each concatenated with
// its skip.
template <class StepUp>
TensorId contract_and_expand(Builder& builder, TensorId x, int32_t channels, StepUp step_up) {
  std::vector<TensorId> skips;
  for (int level = 0; level < 4; ++level, channels *= 2) {
    skips.push_back(double_convolution(builder, x, channels));
    x = builder.max_pool(skips.back(), halve);
  }
  x = double_convolution(builder, x, channels);
  for (; !skips.empty(); skips.pop_back()) {
    channels /= 2;
    x = builder.concat({skips.back(), step_up(builder, x, channels)});
    x = double_convolution(builder, x, channels);
  }
  return x;
}

}  // namespace

void build_unet(Builder& builder, int32_t size) {
  TensorId x = builder.input({size, size, 3});
  x = contract_and_expand(builder, x, 32, step_up);
  builder.output(builder.convolution(x, {.channels = 2, .kernel = 1, .activation = sigmoid}));
}

Model original_unet(int32_t height, int32_t width, uint64_t seed) {
  Builder builder(seed);
  TensorId x = builder.input({height, width, 3});
  x = contract_and_expand(builder, x, 64, [](Builder& to, TensorId deep, int32_t channels) {
    return to.transposed_twofold(deep, channels);
  });
  builder.output(builder.convolution(x, {.channels = 2, .kernel = 1}));
  return std::move(builder).finish("original U-Net " + std::to_string(height) + "x" +
                                   std::to_string(width) + " seed " + std::to_string(seed));
}

}  // namespace shingle::networks

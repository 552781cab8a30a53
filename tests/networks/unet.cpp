// U-Net with padded convolutions, 32 channels at full size. The two deep steps up are transposed
// convolutions, the two shallow ones resize (linear, then nearest): both kinds that people deploy.
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

}  // namespace

void build_unet(Builder& builder, int32_t size) {
  TensorId x = builder.input({size, size, 3});
  std::vector<TensorId> skips;
  for (const int32_t channels : {32, 64, 128, 256}) {
    skips.push_back(double_convolution(builder, x, channels));
    x = builder.max_pool(skips.back(), halve);
  }
  x = double_convolution(builder, x, 512);
  for (const int32_t channels : {256, 128, 64, 32}) {
    x = builder.concat({skips.back(), step_up(builder, x, channels)});
    skips.pop_back();
    x = double_convolution(builder, x, channels);
  }
  builder.output(builder.convolution(x, {.channels = 2, .kernel = 1, .activation = sigmoid}));
}

Model original_unet(int32_t height, int32_t width, uint64_t seed) {
  Builder builder(seed);
  TensorId x = builder.input({height, width, 3});
  std::vector<TensorId> skips;
  for (const int32_t channels : {64, 128, 256, 512}) {
    skips.push_back(double_convolution(builder, x, channels));
    x = builder.max_pool(skips.back(), halve);
  }
  x = double_convolution(builder, x, 1024);
  for (const int32_t channels : {512, 256, 128, 64}) {
    x = builder.concat({skips.back(), builder.transposed_twofold(x, channels)});
    skips.pop_back();
    x = double_convolution(builder, x, channels);
  }
  builder.output(builder.convolution(x, {.channels = 2, .kernel = 1}));
  return std::move(builder).finish("original U-Net " + std::to_string(height) + "x" +
                                   std::to_string(width) + " seed " + std::to_string(seed));
}

}  // namespace shingle::networks

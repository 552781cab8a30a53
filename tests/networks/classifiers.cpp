// ResNet-18 and -50, MobileNetV2, VGG-16: the classifiers that most benchmarks use.
#include "tests/networks/named.hpp"

namespace shingle::networks {

namespace {

constexpr int32_t classes = 1000;
constexpr Window halve{.kernel = 2, .stride = 2};

void classify(Builder& builder, TensorId x) {
  builder.output(
      builder.convolution(builder.global_average(x), {.channels = classes, .kernel = 1}));
}

TensorId stem_of_resnet(Builder& builder, int32_t size) {
  const TensorId x =
      builder.convolution(builder.input({size, size, 3}),
                          {.channels = 64, .kernel = 7, .stride = 2, .activation = relu});
  return builder.max_pool(x,
                          {.kernel = 3, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 1});
}

struct BlockOptions {
  int32_t channels, stride;
};

TensorId shortcut(Builder& builder, TensorId x, const BlockOptions& options) {
  if (builder.shape(x).c == options.channels && options.stride == 1) return x;
  return builder.convolution(
      x, {.channels = options.channels, .kernel = 1, .stride = options.stride, .gain = 0.7F});
}

TensorId basic_block(Builder& builder, TensorId x, const BlockOptions& options) {
  TensorId inner = builder.convolution(
      x, {.channels = options.channels, .stride = options.stride, .activation = relu});
  inner = builder.convolution(inner, {.channels = options.channels, .gain = 0.5F});
  return builder.add(inner, shortcut(builder, x, options), relu);
}

TensorId bottleneck(Builder& builder, TensorId x, const BlockOptions& options) {
  const int32_t narrow = options.channels / 4;
  TensorId inner = builder.convolution(x, {.channels = narrow, .kernel = 1, .activation = relu});
  inner = builder.convolution(inner,
                              {.channels = narrow, .stride = options.stride, .activation = relu});
  inner = builder.convolution(inner, {.channels = options.channels, .kernel = 1, .gain = 0.5F});
  return builder.add(inner, shortcut(builder, x, options), relu);
}

struct InvertedOptions {
  int32_t expansion, channels, stride;
};

TensorId inverted_residual(Builder& builder, TensorId x, const InvertedOptions& options) {
  const int32_t in = builder.shape(x).c, wide = in * options.expansion;
  TensorId inner = x;
  if (options.expansion != 1) {
    inner = builder.convolution(x, {.channels = wide, .kernel = 1, .activation = relu6});
  }
  inner = builder.convolution(
      inner, {.channels = wide, .stride = options.stride, .groups = wide, .activation = relu6});
  inner = builder.convolution(inner, {.channels = options.channels, .kernel = 1, .gain = 0.5F});
  return options.stride == 1 && in == options.channels ? builder.add(x, inner) : inner;
}

}  // namespace

void build_resnet18(Builder& builder, int32_t size) {
  TensorId x = stem_of_resnet(builder, size);
  for (const int32_t channels : {64, 128, 256, 512}) {
    x = basic_block(builder, x, {channels, channels == 64 ? 1 : 2});
    x = basic_block(builder, x, {channels, 1});
  }
  classify(builder, x);
}

void build_resnet50(Builder& builder, int32_t size) {
  constexpr BlockOptions stages[] = {{256, 3}, {512, 4}, {1024, 6}, {2048, 3}};
  TensorId x = stem_of_resnet(builder, size);
  for (const auto [channels, repeats] : stages) {
    x = bottleneck(builder, x, {channels, channels == 256 ? 1 : 2});
    for (int32_t i = 1; i < repeats; ++i) x = bottleneck(builder, x, {channels, 1});
  }
  classify(builder, x);
}

void build_mobilenetv2(Builder& builder, int32_t size) {
  struct Stage {
    int32_t expansion, channels, repeats, stride;
  };
  constexpr Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                              {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  TensorId x = builder.convolution(builder.input({size, size, 3}),
                                   {.channels = 32, .stride = 2, .activation = relu6});
  for (const Stage& stage : stages) {
    for (int32_t i = 0; i < stage.repeats; ++i) {
      x = inverted_residual(builder, x,
                            {stage.expansion, stage.channels, i == 0 ? stage.stride : 1});
    }
  }
  classify(builder, builder.convolution(x, {.channels = 1280, .kernel = 1, .activation = relu6}));
}

void build_vgg16(Builder& builder, int32_t size) {
  constexpr BlockOptions stages[] = {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};
  TensorId x = builder.input({size, size, 3});
  for (const auto [channels, repeats] : stages) {
    for (int32_t i = 0; i < repeats; ++i) {
      x = builder.convolution(x, {.channels = channels, .activation = relu});
    }
    x = builder.max_pool(x, halve);
  }
  classify(builder, x);
}

}  // namespace shingle::networks

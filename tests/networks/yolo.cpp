// Darknet's detectors: YOLOv2 (with its route and reorg) and YOLOv3-tiny.
#include "tests/networks/named.hpp"

namespace shingle::networks {

namespace {

constexpr Window halve{.kernel = 2, .stride = 2};

TensorId conv(Builder& builder, TensorId x, int32_t channels, int32_t kernel) {
  return builder.convolution(x, {.channels = channels, .kernel = kernel, .activation = leaky});
}

// Layers 0-15; each row of the table is one convolution, and 0 is the pool.
TensorId front_of_yolov2(Builder& builder, int32_t size) {
  struct Row {
    int32_t channels, kernel;
  };
  constexpr Row rows[] = {{32, 3},  {0, 0},   {64, 3},  {0, 0},   {128, 3}, {64, 1},
                          {128, 3}, {0, 0},   {256, 3}, {128, 1}, {256, 3}, {0, 0},
                          {512, 3}, {256, 1}, {512, 3}, {256, 1}};
  TensorId x = builder.input({size, size, 3});
  for (const Row row : rows) {
    x = row.channels == 0 ? builder.max_pool(x, halve) : conv(builder, x, row.channels, row.kernel);
  }
  return x;
}

// [h, w, c] -> [h/2, w/2, 4c]: each 2x2 square of pixels becomes one pixel.
TensorId reorg(Builder& builder, TensorId x) {
  const Shape in = builder.shape(x);
  return builder.layer(Rearrange{.factors = {in.h / 2, 2, in.w / 2, 2, in.c},
                                 .input_axes = {{{0, 1}, {2, 3}, {4}}},
                                 .output_axes = {{{0}, {2}, {1, 3, 4}}}},
                       {x});
}

}  // namespace

void build_yolov2_front(Builder& builder, int32_t size) {
  builder.output(front_of_yolov2(builder, size));
}

void build_yolov2(Builder& builder, int32_t size) {
  const TensorId route = conv(builder, front_of_yolov2(builder, size), 512, 3);  // layer 16
  TensorId x = builder.max_pool(route, halve);
  for (int32_t pair = 0; pair < 2; ++pair) {
    x = conv(builder, x, 1024, 3);
    x = conv(builder, x, 512, 1);
  }
  for (int32_t i = 0; i < 3; ++i) x = conv(builder, x, 1024, 3);
  const TensorId passed = reorg(builder, conv(builder, route, 64, 1));
  x = conv(builder, builder.concat({passed, x}), 1024, 3);
  builder.output(builder.convolution(x, {.channels = 425, .kernel = 1}));
}

void build_yolov3_tiny(Builder& builder, int32_t size) {
  TensorId x = conv(builder, builder.input({size, size, 3}), 16, 3);
  for (const int32_t channels : {32, 64, 128}) {
    x = conv(builder, builder.max_pool(x, halve), channels, 3);
  }
  const TensorId route = conv(builder, builder.max_pool(x, halve), 256, 3);
  x = conv(builder, builder.max_pool(route, halve), 512, 3);
  x = builder.max_pool(x, {.kernel = 2, .stride = 1, .dilation = 1, .pad_begin = 0, .pad_end = 1});
  const TensorId neck = conv(builder, conv(builder, x, 1024, 3), 256, 1);
  builder.output(builder.convolution(conv(builder, neck, 512, 3), {.channels = 255, .kernel = 1}));
  x = builder.upsample_nearest(conv(builder, neck, 128, 1));
  x = conv(builder, builder.concat({x, route}), 256, 3);
  builder.output(builder.convolution(x, {.channels = 255, .kernel = 1}));
}

}  // namespace shingle::networks

// YOLOv8n with its decoded head: distribution focal loss as a softmax over 16 bins and a 1x1
// convolution with the weights 0..15, boxes as centre and size in pixels, class scores.
#include "tests/networks/named.hpp"

namespace shingle::networks {

namespace {

constexpr int32_t bins = 16, classes = 80;

TensorId conv(Builder& builder, TensorId x, int32_t channels, int32_t kernel = 3,
              int32_t stride = 1) {
  return builder.convolution(
      x, {.channels = channels, .kernel = kernel, .stride = stride, .activation = silu});
}

struct C2fOptions {
  int32_t channels, repeats;
  bool shortcut;
};

// Split into two halves; each bottleneck continues the last part; all parts are concatenated.
TensorId c2f(Builder& builder, TensorId x, const C2fOptions& options) {
  const int32_t half = options.channels / 2;
  const TensorId both = conv(builder, x, options.channels, 1);
  std::vector<TensorId> parts{builder.channels(both, {0, half}),
                              builder.channels(both, {half, 2 * half})};
  for (int32_t i = 0; i < options.repeats; ++i) {
    const TensorId inner = conv(builder, conv(builder, parts.back(), half), half);
    parts.push_back(options.shortcut ? builder.add(parts.back(), inner) : inner);
  }
  return conv(builder, builder.concat(parts), options.channels, 1);
}

TensorId sppf(Builder& builder, TensorId x, int32_t channels) {
  constexpr Window window{.kernel = 5, .stride = 1, .dilation = 1, .pad_begin = 2, .pad_end = 2};
  std::vector<TensorId> parts{conv(builder, x, channels / 2, 1)};
  for (int32_t i = 0; i < 3; ++i) parts.push_back(builder.max_pool(parts.back(), window));
  return conv(builder, builder.concat(parts), channels, 1);
}

std::vector<TensorId> backbone_and_neck(Builder& builder, int32_t size) {
  TensorId x = conv(builder, builder.input({size, size, 3}), 16, 3, 2);
  x = c2f(builder, conv(builder, x, 32, 3, 2), {32, 1, true});
  const TensorId p3 = c2f(builder, conv(builder, x, 64, 3, 2), {64, 2, true});
  const TensorId p4 = c2f(builder, conv(builder, p3, 128, 3, 2), {128, 2, true});
  x = c2f(builder, conv(builder, p4, 256, 3, 2), {256, 1, true});
  const TensorId p5 = sppf(builder, x, 256);
  x = builder.concat({builder.upsample_nearest(p5), p4});
  const TensorId middle = c2f(builder, x, {128, 1, false});
  x = builder.concat({builder.upsample_nearest(middle), p3});
  const TensorId small = c2f(builder, x, {64, 1, false});
  x = builder.concat({conv(builder, small, 64, 3, 2), middle});
  const TensorId medium = c2f(builder, x, {128, 1, false});
  x = builder.concat({conv(builder, medium, 128, 3, 2), p5});
  return {small, medium, c2f(builder, x, {256, 1, false})};
}

// One level's boxes and classes as a map of one row: [1, h*w, 64 + 80].
TensorId level_output(Builder& builder, TensorId x) {
  TensorId box = conv(builder, conv(builder, x, 64), 64);
  box = builder.convolution(box, {.channels = 4 * bins, .kernel = 1});
  TensorId score = conv(builder, conv(builder, x, classes), classes);
  score = builder.convolution(score, {.channels = classes, .kernel = 1});
  const TensorId both = builder.concat({box, score});
  const Shape in = builder.shape(both);
  return builder.layer(Rearrange{.factors = {in.h, in.w, in.c},
                                 .input_axes = {{{0}, {1}, {2}}},
                                 .output_axes = {{{}, {0, 1}, {2}}}},
                       {both});
}

// [1, n, 4*16] -> [1, n, 4]: the mean of each side's distribution.
TensorId expected_distance(Builder& builder, TensorId box) {
  const int32_t n = builder.shape(box).w;
  TensorId x = builder.layer(Rearrange{.factors = {n, 4, bins},
                                       .input_axes = {{{}, {0}, {1, 2}}},
                                       .output_axes = {{{1}, {0}, {2}}}},
                             {box});
  x = builder.layer(Softmax{Axis::c}, {x});
  std::vector<float> bin_values;
  for (int32_t bin = 0; bin < bins; ++bin) bin_values.push_back(static_cast<float>(bin));
  const ConstantId weights = add_constant(builder.model(), std::move(bin_values));
  x = builder.layer(
      Convolution{.y = {}, .x = {}, .groups = 1, .weights = weights, .bias = std::nullopt}, {x});
  return builder.layer(
      Rearrange{.factors = {4, n}, .input_axes = {{{0}, {1}, {}}}, .output_axes = {{{}, {1}, {0}}}},
      {x});
}

struct Grid {
  TensorId anchors, strides;  // [1, n, 2] and [1, n, 1]
};

Grid make_grid(Builder& builder, const std::vector<TensorId>& levels, int32_t size) {
  std::vector<float> anchors, strides;
  for (const TensorId level : levels) {
    const Shape shape = builder.shape(level);
    for (int32_t i = 0; i < shape.h * shape.w; ++i) {
      anchors.push_back(static_cast<float>(i % shape.w) + 0.5F);
      anchors.push_back(static_cast<float>(i / shape.w) + 0.5F);
      strides.push_back(static_cast<float>(size / shape.h));
    }
  }
  const auto n = static_cast<int32_t>(strides.size());
  return {builder.constant({1, n, 2}, std::move(anchors)),
          builder.constant({1, n, 1}, std::move(strides))};
}

TensorId decoded_box(Builder& builder, TensorId distance, const Grid& grid) {
  const TensorId low =
      builder.binary(Binary::Kind::sub, grid.anchors, builder.channels(distance, {0, 2}));
  const TensorId high =
      builder.binary(Binary::Kind::add, grid.anchors, builder.channels(distance, {2, 4}));
  const TensorId two = builder.constant({1, 1, 1}, {2.0F});
  const TensorId centre =
      builder.binary(Binary::Kind::div, builder.binary(Binary::Kind::add, low, high), two);
  const TensorId extent = builder.binary(Binary::Kind::sub, high, low);
  return builder.binary(Binary::Kind::mul, builder.concat({centre, extent}), grid.strides);
}

}  // namespace

void build_yolov8n(Builder& builder, int32_t size) {
  const std::vector<TensorId> levels = backbone_and_neck(builder, size);
  std::vector<TensorId> rows;
  for (const TensorId level : levels) rows.push_back(level_output(builder, level));
  const TensorId all = builder.concat(rows, Axis::x);
  const TensorId distance = expected_distance(builder, builder.channels(all, {0, 4 * bins}));
  const TensorId box = decoded_box(builder, distance, make_grid(builder, levels, size));
  const TensorId score = builder.layer(
      Elementwise{}, {builder.channels(all, {4 * bins, 4 * bins + classes})}, sigmoid);
  builder.output(builder.concat({box, score}));
}

}  // namespace shingle::networks

#include "tests/networks/exported/yolo11.hpp"

#include <cmath>

namespace shingle::networks::yolo11 {

namespace {

constexpr float branch_gain = 0.5F;

Value bottleneck(Exporter& to, const Value& x, int64_t inner) {
  const Value y = conv_silu(to, x, {.channels = inner});
  return add(to, x, conv_silu(to, y, {.channels = x.dims[1], .gain = branch_gain}));
}

// C3 with two bottlenecks of 3x3.
Value c3k(Exporter& to, const Value& x) {
  const int64_t channels = x.dims[1], half = channels / 2;
  Value y = conv_silu(to, x, {.channels = half, .kernel = 1});
  for (int i = 0; i < 2; ++i) y = bottleneck(to, y, half);
  const Value z = conv_silu(to, x, {.channels = half, .kernel = 1});
  return conv_silu(to, concat(to, {y, z}, 1), {.channels = channels, .kernel = 1});
}

struct C3k2 {
  int64_t channels;
  bool nested;
  int64_t shrink = 2;
};
Value c3k2(Exporter& to, const Value& x, const C3k2& o) {
  const int64_t inner = o.channels / o.shrink;
  const Value y = conv_silu(to, x, {.channels = 2 * inner, .kernel = 1});
  std::vector<Value> parts = split(to, y, 1, {inner, inner});
  const Value& last = parts.back();
  parts.push_back(o.nested ? c3k(to, last) : bottleneck(to, last, inner / 2));
  return conv_silu(to, concat(to, parts, 1), {.channels = o.channels, .kernel = 1});
}

Value sppf(Exporter& to, const Value& x) {
  std::vector<Value> parts{conv_silu(to, x, {.channels = x.dims[1] / 2, .kernel = 1})};
  for (int i = 0; i < 3; ++i) parts.push_back(max_pool(to, parts.back(), 5, 1, 2));
  return conv_silu(to, concat(to, parts, 1), {.channels = x.dims[1], .kernel = 1});
}

Value attention(Exporter& to, const Value& x) {
  const int64_t channels = x.dims[1], heads = channels / 64, depth = channels / heads;
  const int64_t key = depth / 2, pixels = x.dims[2] * x.dims[3];
  const Value packed =
      conv(to, x, {.channels = channels + heads * key * 2, .kernel = 1, .gain = score_gain});
  const Value by_head = reshape(to, packed, {1, heads, key * 2 + depth, pixels});
  const std::vector<Value> qkv = split(to, by_head, 2, {key, key, depth});
  const Value product = matmul(to, transpose(to, qkv[0], {0, 1, 3, 2}), qkv[1]);
  const float scale = 1.0F / std::sqrt(static_cast<float>(key));
  const Value weights = softmax(to, mul(to, product, to.scalar(scale)), -1);
  const Value mixed = matmul(to, qkv[2], transpose(to, weights, {0, 1, 3, 2}));
  const Value places =
      conv(to, reshape(to, qkv[2], x.dims), {.channels = channels, .groups = channels});
  const Value sum = add(to, reshape(to, mixed, x.dims), places);
  return conv(to, sum, {.channels = channels, .kernel = 1});
}

Value c2psa(Exporter& to, const Value& x) {
  const int64_t channels = x.dims[1], half = channels / 2;
  const Value y = conv_silu(to, x, {.channels = channels, .kernel = 1});
  const std::vector<Value> parts = split(to, y, 1, {half, half});
  const Value seen = add(to, parts[1], attention(to, parts[1]));
  const Value wide = conv_silu(to, seen, {.channels = channels, .kernel = 1});
  const Value fed =
      add(to, seen, conv(to, wide, {.channels = half, .kernel = 1, .gain = branch_gain}));
  return conv_silu(to, concat(to, {parts[0], fed}, 1), {.channels = channels, .kernel = 1});
}

}  // namespace

Value conv_silu(Exporter& to, const Value& x, const Block& block) {
  return silu(to, conv(to, x,
                       {.channels = block.channels,
                        .kernel = block.kernel,
                        .stride = block.stride,
                        .groups = block.groups,
                        .gain = block.gain}));
}

Pyramid backbone_and_neck(Exporter& to, const Value& x) {
  const auto halved = [&](const Value& map, int64_t channels) {
    return conv_silu(to, map, {.channels = channels, .stride = 2});
  };
  const auto joined = [&](const Value& a, const Value& b, const C3k2& o) {
    return c3k2(to, concat(to, {a, b}, 1), o);
  };
  const Value first = conv_silu(to, x, {.channels = 16, .stride = 2, .gain = first_silu_gain});
  Value y = halved(first, 32);
  y = c3k2(to, y, {64, false, 4});
  const Value p3 = c3k2(to, halved(y, 64), {128, false, 4});
  const Value p4 = c3k2(to, halved(p3, 128), {128, true});
  y = c3k2(to, halved(p4, 256), {256, true});
  const Value p5 = c2psa(to, sppf(to, y));
  const Value middle = joined(upsample_nearest(to, p5, 2), p4, {128, false});
  const Value small = joined(upsample_nearest(to, middle, 2), p3, {64, false});
  const Value medium = joined(halved(small, 64), middle, {128, false});
  return {small, medium, joined(halved(medium, 128), p5, {256, true})};
}

}  // namespace shingle::networks::yolo11

#include "tests/networks/exported/yolo.hpp"

#include <cmath>

namespace shingle::networks::yolo {

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

// Attention and two layers, each added to what it reads.
Value psa_block(Exporter& to, const Value& x) {
  const int64_t channels = x.dims[1];
  const Value seen = add(to, x, attention(to, x));
  const Value wide = conv_silu(to, seen, {.channels = 2 * channels, .kernel = 1});
  return add(to, seen, conv(to, wide, {.channels = channels, .kernel = 1, .gain = branch_gain}));
}

Value c2psa(Exporter& to, const Value& x) {
  const int64_t channels = x.dims[1], half = channels / 2;
  const Value y = conv_silu(to, x, {.channels = channels, .kernel = 1});
  const std::vector<Value> parts = split(to, y, 1, {half, half});
  const Value last = psa_block(to, parts[1]);
  return conv_silu(to, concat(to, {parts[0], last}, 1), {.channels = channels, .kernel = 1});
}

enum class Inner : uint8_t { bottleneck, nested, attentive };

struct C3k2 {
  int64_t channels;
  Inner inner;
  int64_t shrink = 2;
};
Value inner_of(Exporter& to, const Value& x, Inner kind) {
  if (kind == Inner::nested) return c3k(to, x);
  const Value y = bottleneck(to, x, x.dims[1] / 2);
  return kind == Inner::attentive ? psa_block(to, y) : y;
}
Value c3k2(Exporter& to, const Value& x, const C3k2& o) {
  const int64_t inner = o.channels / o.shrink;
  const Value y = conv_silu(to, x, {.channels = 2 * inner, .kernel = 1});
  std::vector<Value> parts = split(to, y, 1, {inner, inner});
  parts.push_back(inner_of(to, parts.back(), o.inner));
  return conv_silu(to, concat(to, parts, 1), {.channels = o.channels, .kernel = 1});
}

// YOLO26 adds the input, and its first layer is linear.
Value sppf(Exporter& to, const Value& x, Version version) {
  const int64_t half = x.dims[1] / 2;
  const bool adds = version == Version::yolo26;
  std::vector<Value> parts{adds ? conv(to, x, {.channels = half, .kernel = 1, .gain = branch_gain})
                                : conv_silu(to, x, {.channels = half, .kernel = 1})};
  const Pool pool{.kernel = 5, .strides = {1, 1}, .paddings = {2, 2}};
  for (int i = 0; i < 3; ++i) parts.push_back(max_pool(to, parts.back(), pool));
  const Value y = conv_silu(to, concat(to, parts, 1), {.channels = x.dims[1], .kernel = 1});
  return adds ? add(to, y, x) : y;
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

Pyramid backbone_and_neck(Exporter& to, const Value& x, Version version) {
  const bool newer = version == Version::yolo26;
  const Inner neck = newer ? Inner::nested : Inner::bottleneck;
  const auto halved = [&](const Value& map, int64_t channels) {
    return conv_silu(to, map, {.channels = channels, .stride = 2});
  };
  const auto joined = [&](const Value& a, const Value& b, const C3k2& o) {
    return c3k2(to, concat(to, {a, b}, 1), o);
  };
  const Value first = conv_silu(to, x, {.channels = 16, .stride = 2, .gain = first_silu_gain});
  Value y = halved(first, 32);
  y = c3k2(to, y, {64, Inner::bottleneck, 4});
  const Value p3 = c3k2(to, halved(y, 64), {128, Inner::bottleneck, 4});
  const Value p4 = c3k2(to, halved(p3, 128), {128, Inner::nested});
  y = c3k2(to, halved(p4, 256), {256, Inner::nested});
  const Value p5 = c2psa(to, sppf(to, y, version));
  const Value middle = joined(upsample_nearest(to, p5, 2), p4, {128, neck});
  const Value small = joined(upsample_nearest(to, middle, 2), p3, {64, neck});
  const Value medium = joined(halved(small, 64), middle, {128, neck});
  const Inner last = newer ? Inner::attentive : Inner::nested;
  return {small, medium, joined(halved(medium, 128), p5, {256, last})};
}

}  // namespace shingle::networks::yolo

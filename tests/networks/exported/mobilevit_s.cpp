// MobileViT-S, as timm's is exported: attention among the pixels at one place of all patches, which
// are a batch of four in the middle of the network.
#include <cmath>

#include "tests/networks/exported/builders.hpp"
#include "tests/networks/exported/encoder.hpp"

namespace shingle::networks {

namespace {

constexpr int64_t heads = 4;
constexpr float branch_gain = 0.5F;

Value conv_silu(Exporter& to, const Value& x, const Conv& options) {
  return silu(to, conv(to, x, options));
}

Value inverted_residual(Exporter& to, const Value& x, int64_t channels, int64_t stride) {
  const int64_t expanded = 4 * x.dims[1];
  Value y = conv_silu(to, x, {.channels = expanded, .kernel = 1});
  y = conv_silu(to, y, {.channels = expanded, .stride = stride, .groups = expanded});
  const bool adds = stride == 1 && channels == x.dims[1];
  y = conv(to, y, {.channels = channels, .kernel = 1, .gain = adds ? branch_gain : 1.0F});
  return adds ? add(to, y, x) : y;
}

// [1, d, h, w] to [4, patches, d] with patches of 2x2.
Value unfold(Exporter& to, const Value& x) {
  const int64_t d = x.dims[1], h = x.dims[2] / 2, w = x.dims[3] / 2;
  const Value rows = transpose(to, reshape(to, x, {d * h, 2, w, 2}), {0, 2, 1, 3});
  const Value pixels = transpose(to, reshape(to, rows, {1, d, h * w, 4}), {0, 3, 2, 1});
  return reshape(to, pixels, {4, h * w, d});
}

Value fold(Exporter& to, const Value& x, const Dims& map) {
  const int64_t d = map[1], h = map[2] / 2, w = map[3] / 2;
  const Value pixels = transpose(to, reshape(to, x, {1, 4, h * w, d}), {0, 3, 2, 1});
  const Value rows = transpose(to, reshape(to, pixels, {d * h, w, 2, 2}), {0, 2, 1, 3});
  return reshape(to, rows, map);
}

Value transformer(Exporter& to, Value x) {
  const int64_t features = x.dims[2];
  const Value normal = layer_norm(to, x);
  x = add(to, x, attention_of(to, {normal, normal, normal}, heads));
  const Value wide = silu(to, linear(to, layer_norm(to, x), {.features = 2 * features}));
  return add(to, x, linear(to, wide, {.features = features, .gain = branch_gain}));
}

struct Block {
  int64_t channels, features;
  int layers;
};

Value mobilevit_block(Exporter& to, const Value& x, const Block& block) {
  Value y = inverted_residual(to, x, block.channels, 2);
  const Value shortcut = y;
  y = conv_silu(to, y, {.channels = block.channels});
  y = conv(to, y, {.channels = block.features, .kernel = 1, .bias = false});
  const Dims map = y.dims;
  y = unfold(to, y);
  for (int i = 0; i < block.layers; ++i) y = transformer(to, y);
  y = fold(to, layer_norm(to, y), map);
  y = conv_silu(to, y, {.channels = block.channels, .kernel = 1});
  return conv_silu(to, concat(to, {shortcut, y}, 1), {.channels = block.channels});
}

}  // namespace

void export_mobilevit_s(Exporter& to, const Value& x) {
  Value y = conv_silu(to, x, {.channels = 16, .stride = 2});
  y = inverted_residual(to, y, 32, 1);
  y = inverted_residual(to, y, 64, 2);
  for (int i = 0; i < 2; ++i) y = inverted_residual(to, y, 64, 1);
  y = mobilevit_block(to, y, {96, 144, 2});
  y = mobilevit_block(to, y, {128, 192, 4});
  y = mobilevit_block(to, y, {160, 240, 3});
  y = conv_silu(to, y, {.channels = 640, .kernel = 1});
  to.output(linear(to, flatten(to, global_average(to, y)), {.features = 1000}));
}

}  // namespace shingle::networks

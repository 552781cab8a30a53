// MiDaS-small: depth, decoded from EfficientNet-Lite3. The backbone pads as TensorFlow does: a
// strided layer gets a row and a column more behind than before.
#include "tests/networks/exported/builders.hpp"

namespace shingle::networks {

namespace {

constexpr float branch_gain = 0.5F;

struct Stage {
  int64_t expansion, kernel, stride, channels;
  int blocks;
};
constexpr Stage stages[] = {{1, 3, 1, 24, 1}, {6, 3, 2, 32, 3},  {6, 5, 2, 48, 3},
                            {6, 3, 2, 96, 5}, {6, 5, 1, 136, 5}, {6, 5, 2, 232, 6},
                            {6, 3, 1, 384, 1}};

Value conv_same(Exporter& to, const Value& x, Conv options) {
  if (options.stride == 1) return conv(to, x, options);
  const int64_t total = options.kernel - options.stride, before = total / 2;
  const int64_t after = total - before;
  const Value pads = to.integers({0, 0, before, before, 0, 0, after, after});
  options.padding = 0;
  const Dims dims{1, x.dims[1], x.dims[2] + total, x.dims[3] + total};
  return conv(to, to.node("Pad", {x, pads, to.scalar(0.0F)}, {{"mode", "constant"}}, dims),
              options);
}

Value block(Exporter& to, const Value& x, const Stage& stage, int64_t stride) {
  const int64_t expanded = x.dims[1] * stage.expansion;
  Value y = x;
  if (stage.expansion > 1) y = relu6(to, conv(to, y, {.channels = expanded, .kernel = 1}));
  y = relu6(
      to,
      conv_same(
          to, y,
          {.channels = expanded, .kernel = stage.kernel, .stride = stride, .groups = expanded}));
  const bool adds = stride == 1 && x.dims[1] == stage.channels;
  y = conv(to, y, {.channels = stage.channels, .kernel = 1, .gain = adds ? branch_gain : 1.0F});
  return adds ? add(to, y, x) : y;
}

// The maps at strides 4, 8, 16 and 32.
std::vector<Value> backbone(Exporter& to, const Value& x) {
  std::vector<Value> maps;
  Value y = relu6(to, conv_same(to, x, {.channels = 32, .stride = 2}));
  for (const Stage& stage : stages) {
    for (int i = 0; i < stage.blocks; ++i) y = block(to, y, stage, i == 0 ? stage.stride : 1);
    if (stage.channels == 32 || stage.channels == 48 || stage.channels == 136) maps.push_back(y);
  }
  maps.push_back(y);
  return maps;
}

Value residual(Exporter& to, const Value& x) {
  const int64_t channels = x.dims[1];
  const Value y = conv(to, relu(to, x), {.channels = channels});
  return add(to, conv(to, relu(to, y), {.channels = channels, .gain = branch_gain}), x);
}

// Twice as large, `channels` wide.
Value fused(Exporter& to, const Value& x, int64_t channels) {
  const Value y = residual(to, x);
  const Value larger = resize_linear(to, y, y.dims[2] * 2, y.dims[3] * 2, true);
  return conv(to, larger, {.channels = channels, .kernel = 1});
}

}  // namespace

void export_midas_small(Exporter& to, const Value& x) {
  std::vector<Value> maps;
  int64_t channels = 64;
  for (const Value& map : backbone(to, x)) {
    maps.push_back(conv(to, map, {.channels = channels, .bias = false}));
    channels *= 2;
  }
  Value y = fused(to, maps[3], 256);
  y = fused(to, add(to, y, residual(to, maps[2])), 128);
  y = fused(to, add(to, y, residual(to, maps[1])), 64);
  y = fused(to, add(to, y, residual(to, maps[0])), 64);
  y = conv(to, y, {.channels = 32});
  y = resize_linear(to, y, y.dims[2] * 2, y.dims[3] * 2);
  y = relu(to, conv(to, y, {.channels = 32}));
  y = relu(to, conv(to, y, {.channels = 1, .kernel = 1}));
  to.output(to.node("Squeeze", {y, to.integers({1})}, {}, {1, y.dims[2], y.dims[3]}));
}

}  // namespace shingle::networks

// DBNet on ResNet-18: a map of how likely each pixel is text.
#include "tests/networks/exported/builders.hpp"

namespace shingle::networks {

namespace {

constexpr int64_t inner = 256, quarter = inner / 4;

Value basic_block(Exporter& to, const Value& x, int64_t channels, int64_t stride) {
  const Value y = relu(to, conv(to, x, {.channels = channels, .stride = stride}));
  const Value branch = conv(to, y, {.channels = channels, .gain = 0.5F});
  if (stride == 1 && channels == x.dims[1]) return relu(to, add(to, branch, x));
  const Value shortcut = conv(to, x, {.channels = channels, .kernel = 1, .stride = stride});
  return relu(to, add(to, branch, shortcut));
}

// The maps at strides 4, 8, 16 and 32.
std::vector<Value> resnet18(Exporter& to, const Value& x) {
  std::vector<Value> maps;
  Value y = relu(to, conv(to, x, {.channels = 64, .kernel = 7, .stride = 2}));
  y = max_pool(to, y, 3, 2, 1);
  for (const int64_t channels : {64, 128, 256, 512}) {
    y = basic_block(to, y, channels, channels == 64 ? 1 : 2);
    y = basic_block(to, y, channels, 1);
    maps.push_back(y);
  }
  return maps;
}

// [1, 256, h / 4, w / 4]: four maps side by side, each with what lies above it.
Value feature_pyramid(Exporter& to, const std::vector<Value>& maps) {
  std::vector<Value> levels;
  for (const Value& map : maps)
    levels.push_back(conv(to, map, {.channels = inner, .kernel = 1, .bias = false}));
  for (size_t i = levels.size() - 1; i > 0; --i)
    levels[i - 1] = add(to, upsample_nearest(to, levels[i], 2), levels[i - 1]);
  std::vector<Value> parts;
  for (size_t i = levels.size(); i-- > 0;) {
    const Value part = conv(to, levels[i], {.channels = quarter, .bias = false});
    parts.push_back(i == 0 ? part : upsample_nearest(to, part, int64_t{1} << i));
  }
  return concat(to, parts, 1);
}

}  // namespace

void export_dbnet(Exporter& to, const Value& x) {
  Value y = feature_pyramid(to, resnet18(to, x));
  y = relu(to, conv(to, y, {.channels = quarter}));
  y = relu(to, transposed_conv(to, y, quarter));
  to.output(unary(to, "Sigmoid", transposed_conv(to, y, 1)));
}

}  // namespace shingle::networks

// DBNet on ResNet-18: a map of how likely each pixel is text.
#include "tests/networks/exported/builders.hpp"
#include "tests/networks/exported/resnet18.hpp"

namespace shingle::networks {

namespace {

constexpr int64_t inner = 256, quarter = inner / 4;

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
  Value y = feature_pyramid(to, resnet18(to, x, ResNet::plain));
  y = relu(to, conv(to, y, {.channels = quarter}));
  y = relu(to, transposed_conv(to, y, quarter));
  to.output(unary(to, "Sigmoid", transposed_conv(to, y, 1)));
}

}  // namespace shingle::networks

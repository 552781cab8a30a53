#include "tests/networks/exported/resnet18.hpp"

namespace shingle::networks {

namespace {

Value stem(Exporter& to, const Value& x, ResNet kind) {
  const Pool pool{.kernel = 3, .paddings = {1, 1}};
  if (kind == ResNet::plain) {
    const Value y = relu(to, conv(to, x, {.channels = 64, .kernel = 7, .stride = 2}));
    return max_pool(to, y, pool);
  }
  Value y = relu(to, conv(to, x, {.channels = 32, .stride = 2}));
  y = relu(to, conv(to, y, {.channels = 32}));
  return max_pool(to, relu(to, conv(to, y, {.channels = 64})), pool);
}

struct Block {
  int64_t channels, stride;
  bool first;  // of its stage
};

Value shortcut(Exporter& to, const Value& x, const Block& block, ResNet kind) {
  const bool averages = kind == ResNet::d && block.stride == 2;
  const Value from = averages ? average_pool(to, x) : x;
  return conv(to, from,
              {.channels = block.channels, .kernel = 1, .stride = averages ? 1 : block.stride});
}

Value basic_block(Exporter& to, const Value& x, const Block& block, ResNet kind) {
  const Value y = relu(to, conv(to, x, {.channels = block.channels, .stride = block.stride}));
  const Value branch = conv(to, y, {.channels = block.channels, .gain = 0.5F});
  const bool projects = kind == ResNet::d ? block.first : block.channels != x.dims[1];
  return relu(to, add(to, branch, projects ? shortcut(to, x, block, kind) : x));
}

}  // namespace

std::vector<Value> resnet18(Exporter& to, const Value& x, ResNet kind) {
  std::vector<Value> maps;
  Value y = stem(to, x, kind);
  for (const int64_t channels : {64, 128, 256, 512}) {
    y = basic_block(to, y, {channels, channels == 64 ? 1 : 2, true}, kind);
    y = basic_block(to, y, {channels, 1, false}, kind);
    maps.push_back(y);
  }
  return maps;
}

}  // namespace shingle::networks

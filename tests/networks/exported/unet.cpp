// U-Net of 32 to 512 channels with transposed convolutions, one class.
#include "tests/networks/exported/builders.hpp"

namespace shingle::networks {

namespace {

Value twice(Exporter& to, const Value& x, int64_t channels) {
  const Value once = relu(to, conv(to, x, {.channels = channels}));
  return relu(to, conv(to, once, {.channels = channels}));
}

}  // namespace

void export_unet(Exporter& to, const Value& x) {
  std::vector<Value> skips;
  Value y = x;
  for (const int64_t channels : {32, 64, 128, 256}) {
    skips.push_back(twice(to, y, channels));
    y = max_pool(to, skips.back(), {});
  }
  y = twice(to, y, 512);
  for (; !skips.empty(); skips.pop_back()) {
    const int64_t channels = skips.back().dims[1];
    y = twice(to, concat(to, {transposed_conv(to, y, channels), skips.back()}, 1), channels);
  }
  to.output(unary(to, "Sigmoid", conv(to, y, {.channels = 1, .kernel = 1})));
}

}  // namespace shingle::networks

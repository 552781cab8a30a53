// MobileNetV3-large, as torchvision's is exported.
#include "tests/networks/exported/mobilenetv3.hpp"

#include <algorithm>

#include "tests/networks/exported/builders.hpp"

namespace shingle::networks {

namespace {

constexpr float branch_gain = 0.5F;

struct Block {
  int64_t kernel, expanded, channels;
  bool squeezes, swishes;
  int64_t stride = 1, dilation = 1;
};

std::vector<Block> blocks_of(bool dilated) {
  const int64_t stride = dilated ? 1 : 2, dilation = dilated ? 2 : 1;
  return {{3, 16, 16, false, false},
          {3, 64, 24, false, false, 2},
          {3, 72, 24, false, false},
          {5, 72, 40, true, false, 2},
          {5, 120, 40, true, false},
          {5, 120, 40, true, false},
          {3, 240, 80, false, true, 2},
          {3, 200, 80, false, true},
          {3, 184, 80, false, true},
          {3, 184, 80, false, true},
          {3, 480, 112, true, true},
          {3, 672, 112, true, true},
          {5, 672, 160, true, true, stride, dilation},
          {5, 960, 160, true, true, 1, dilation},
          {5, 960, 160, true, true, 1, dilation}};
}

// Channels are multiples of 8, and never much fewer than wanted.
int64_t squeezed(int64_t channels) {
  const int64_t wanted = channels / 4;
  const int64_t rounded = std::max<int64_t>(8, (wanted + 4) / 8 * 8);
  return rounded * 10 < wanted * 9 ? rounded + 8 : rounded;
}

Value squeeze_and_excite(Exporter& to, const Value& x) {
  const int64_t channels = x.dims[1];
  Value y = conv(to, global_average(to, x), {.channels = squeezed(channels), .kernel = 1});
  y = conv(to, relu(to, y), {.channels = channels, .kernel = 1});
  return mul(to, hard_sigmoid(to, y), x);
}

Value activated(Exporter& to, const Value& x, bool swishes) {
  return swishes ? hard_swish(to, x) : relu(to, x);
}

Value inverted_residual(Exporter& to, const Value& x, const Block& block) {
  Value y = x;
  if (block.expanded != x.dims[1])
    y = activated(to, conv(to, y, {.channels = block.expanded, .kernel = 1}), block.swishes);
  y = conv(to, y,
           {.channels = block.expanded,
            .kernel = block.kernel,
            .stride = block.stride,
            .groups = block.expanded,
            .dilation = block.dilation});
  y = activated(to, y, block.swishes);
  if (block.squeezes) y = squeeze_and_excite(to, y);
  const bool adds = block.stride == 1 && block.channels == x.dims[1];
  y = conv(to, y, {.channels = block.channels, .kernel = 1, .gain = adds ? branch_gain : 1.0F});
  return adds ? add(to, y, x) : y;
}

}  // namespace

Value mobilenetv3_features(Exporter& to, const Value& x, bool dilated) {
  Value y = hard_swish(to, conv(to, x, {.channels = 16, .stride = 2}));
  for (const Block& block : blocks_of(dilated)) y = inverted_residual(to, y, block);
  return hard_swish(to, conv(to, y, {.channels = 960, .kernel = 1}));
}

void export_mobilenetv3(Exporter& to, const Value& x) {
  const Value pooled = flatten(to, global_average(to, mobilenetv3_features(to, x, false)));
  to.output(linear(to, hard_swish(to, linear(to, pooled, {.features = 1280})), {.features = 1000}));
}

}  // namespace shingle::networks

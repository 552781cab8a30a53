// ConvNeXt-tiny, as torchvision's is exported: permuted for norms and linear layers.
#include "tests/networks/exported/builders.hpp"

namespace shingle::networks {

namespace {

struct Stage {
  int64_t channels;
  int blocks;
};
constexpr Stage stages[] = {{96, 3}, {192, 3}, {384, 9}, {768, 3}};

Value block(Exporter& to, const Value& x) {
  const int64_t channels = x.dims[1];
  Value y = conv(to, x, {.channels = channels, .kernel = 7, .groups = channels});
  y = layer_norm(to, transpose(to, y, {0, 2, 3, 1}));
  y = gelu(to, linear(to, y, {.features = 4 * channels}));
  y = transpose(to, linear(to, y, {.features = channels}), {0, 3, 1, 2});
  return add(to, mul(to, y, to.normal({channels, 1, 1}, 0.1F, 0.3F)), x);
}

Value patches(Exporter& to, const Value& x, int64_t channels, int64_t size) {
  return conv(to, x, {.channels = channels, .kernel = size, .stride = size, .padding = 0});
}

}  // namespace

void export_convnext_tiny(Exporter& to, const Value& x) {
  Value y = layer_norm_channels(to, patches(to, x, stages[0].channels, 4));
  for (const Stage& stage : stages) {
    if (stage.channels != y.dims[1]) y = patches(to, layer_norm_channels(to, y), stage.channels, 2);
    for (int i = 0; i < stage.blocks; ++i) y = block(to, y);
  }
  y = layer_norm_channels(to, global_average(to, y));
  to.output(linear(to, flatten(to, y), {.features = 1000}));
}

}  // namespace shingle::networks

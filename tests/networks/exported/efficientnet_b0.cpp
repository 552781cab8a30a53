// EfficientNet-B0, as timm's is exported: squeezes are means with the axes kept.
#include "tests/networks/exported/builders.hpp"

namespace shingle::networks {

namespace {

// Expansions read a linear layer's result, of which no function took half the variance; and a
// squeeze halves what it scales.
constexpr float expansion_gain = 0.7F * silu_gain, projection_gain = 2.0F, branch_gain = 1.0F;

struct Stage {
  int64_t expansion, kernel, stride, channels;
  int blocks;
};
constexpr Stage stages[] = {{1, 3, 1, 16, 1}, {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2},
                            {6, 3, 2, 80, 3}, {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4},
                            {6, 3, 1, 320, 1}};

Value squeeze_and_excite(Exporter& to, const Value& x, int64_t squeezed) {
  Value y = conv(to, mean(to, x, {2, 3}, true), {.channels = squeezed, .kernel = 1});
  y = conv(to, silu(to, y), {.channels = x.dims[1], .kernel = 1});
  return mul(to, x, unary(to, "Sigmoid", y));
}

Value block(Exporter& to, const Value& x, const Stage& stage, int64_t stride) {
  const int64_t inputs = x.dims[1], expanded = inputs * stage.expansion;
  Value y = x;
  if (stage.expansion > 1)
    y = silu(to, conv(to, y, {.channels = expanded, .kernel = 1, .gain = expansion_gain}));
  y = silu(to, conv(to, y,
                    {.channels = expanded,
                     .kernel = stage.kernel,
                     .stride = stride,
                     .groups = expanded,
                     .gain = silu_gain}));
  y = squeeze_and_excite(to, y, inputs / 4);
  const bool adds = stride == 1 && inputs == stage.channels;
  y = conv(to, y,
           {.channels = stage.channels, .kernel = 1, .gain = adds ? branch_gain : projection_gain});
  return adds ? add(to, y, x) : y;
}

}  // namespace

void export_efficientnet_b0(Exporter& to, const Value& x) {
  Value y = silu(to, conv(to, x, {.channels = 32, .stride = 2, .gain = first_silu_gain}));
  for (const Stage& stage : stages) {
    for (int i = 0; i < stage.blocks; ++i) y = block(to, y, stage, i == 0 ? stage.stride : 1);
  }
  y = silu(to, conv(to, y, {.channels = 1280, .kernel = 1}));
  to.output(linear(to, flatten(to, global_average(to, y)), {.features = 1000}));
}

}  // namespace shingle::networks

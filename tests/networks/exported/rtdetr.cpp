// RT-DETR on ResNet-18vd, as Hugging Face's is exported: `logits` and `pred_boxes` of 300 queries.
// The encoder's part: a transformer layer on the smallest map (AIFI), then a neck of convolutions
// that passes through the three maps and back (CCFM).
#include "tests/networks/exported/rtdetr.hpp"

#include <cmath>

#include "tests/networks/exported/builders.hpp"
#include "tests/networks/exported/encoder.hpp"
#include "tests/networks/exported/resnet18.hpp"

namespace shingle::networks {

namespace {

using namespace rtdetr;

Value conv_silu(Exporter& to, const Value& x, const Conv& options) {
  return silu(to, conv(to, x, options));
}

// A 3x3 layer beside a 1x1 one, which training has and an export keeps.
Value rep_vgg(Exporter& to, const Value& x) {
  const Value wide = conv(to, x, {.channels = x.dims[1], .gain = 0.7F});
  const Value narrow = conv(to, x, {.channels = x.dims[1], .kernel = 1, .gain = 0.7F});
  return silu(to, add(to, wide, narrow));
}

Value csp_rep(Exporter& to, const Value& x) {
  const int64_t half = features / 2;
  Value y = conv_silu(to, x, {.channels = half, .kernel = 1, .gain = silu_gain});
  for (int i = 0; i < 3; ++i) y = rep_vgg(to, y);
  const Value beside = conv_silu(to, x, {.channels = half, .kernel = 1, .gain = silu_gain});
  return conv_silu(to, add(to, y, beside), {.channels = features, .kernel = 1, .gain = silu_gain});
}

// Sines and cosines of a pixel's column, then of its row.
Value sines(Exporter& to, int64_t height, int64_t width) {
  constexpr int64_t quarter = features / 4;
  std::vector<float> values;
  for (int64_t pixel = 0; pixel < height * width; ++pixel) {
    for (const int64_t place : {pixel % width, pixel / width}) {
      for (int64_t i = 0; i < 2 * quarter; ++i) {
        const double share = static_cast<double>(i % quarter) / static_cast<double>(quarter);
        const double angle = static_cast<double>(place) * std::pow(1e4, -share);
        values.push_back(static_cast<float>(i < quarter ? std::sin(angle) : std::cos(angle)));
      }
    }
  }
  return to.floats({1, height * width, features}, values);
}

// AIFI.
Value among_pixels(Exporter& to, const Value& map) {
  const int64_t height = map.dims[2], width = map.dims[3];
  const Value rows = rows_of(to, map);
  const Value placed = add(to, rows, sines(to, height, width));
  const Value seen = attention_of(to, {placed, placed, rows}, heads);
  Value x = layer_norm(to, add(to, rows, seen));
  const Value wide = gelu(to, linear(to, x, {.features = hidden}));
  x = layer_norm(to, add(to, x, linear(to, wide, {.features = features})));
  return map_of(to, x, map.dims);
}

// CCFM: from the smallest map to the largest and back.
Pyramid neck(Exporter& to, const Pyramid& maps) {
  Pyramid y = maps;
  for (size_t i = 2; i > 0; --i) {
    y[i] = conv_silu(to, y[i], {.channels = features, .kernel = 1, .gain = silu_gain});
    y[i - 1] = csp_rep(to, concat(to, {upsample_nearest(to, y[i], 2), maps[i - 1]}, 1));
  }
  for (size_t i = 0; i < 2; ++i) {
    const Value smaller =
        conv_silu(to, y[i], {.channels = features, .stride = 2, .gain = silu_gain});
    y[i + 1] = csp_rep(to, concat(to, {smaller, y[i + 1]}, 1));
  }
  return y;
}

}  // namespace

void export_rtdetr_r18(Exporter& to, const Value& x) {
  const std::vector<Value> maps = resnet18(to, x, ResNet::d);
  Pyramid projected;
  for (size_t i = 0; i < projected.size(); ++i)
    projected[i] = conv(to, maps[i + 1], {.channels = features, .kernel = 1});
  projected[2] = among_pixels(to, projected[2]);
  const Queries found = decoded(to, neck(to, projected));
  to.output(found.logits);
  to.output(found.boxes);
}

}  // namespace shingle::networks

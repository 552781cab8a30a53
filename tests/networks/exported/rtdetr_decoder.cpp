// RT-DETR's decoder: of all pixels those with the best class become queries; three layers let the
// queries look at each other and, by deformable attention, at a few places of the three maps.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/networks/exported/deformable.hpp"
#include "tests/networks/exported/encoder.hpp"
#include "tests/networks/exported/rtdetr.hpp"
#include "tests/networks/exported/selection.hpp"

namespace shingle::networks::rtdetr {

namespace {

constexpr int64_t most_queries = 300;
constexpr int layers = 3;

// Linear layers with ReLU between them.
struct Perceptron {
  int64_t hidden, outputs;
  int layers;
  float gain = 1.0F;  // of the last one
};
Value perceptron(Exporter& to, Value x, const Perceptron& o) {
  for (int i = 1; i < o.layers; ++i)
    x = relu(to, linear(to, x, {.features = o.hidden, .gain = std::sqrt(2.0F)}));
  return linear(to, x, {.features = o.outputs, .gain = o.gain});
}

// A box in the middle of each pixel, as logits, and where it counts: not at the very border.
struct Anchors {
  Value logits, valid;  // [1, pixels, 4], [1, pixels, 1]
};
Anchors anchors_of(Exporter& to, const Pyramid& maps) {
  std::vector<float> logits, valid;
  float size = 0.05F;
  for (const Value& map : maps) {
    const auto height = static_cast<float>(map.dims[2]), width = static_cast<float>(map.dims[3]);
    for (int64_t y = 0; y < map.dims[2]; ++y) {
      for (int64_t x = 0; x < map.dims[3]; ++x) {
        const std::array<float, 4> box{(static_cast<float>(x) + 0.5F) / width,
                                       (static_cast<float>(y) + 0.5F) / height, size, size};
        const bool inside =
            std::all_of(box.begin(), box.end(), [](float v) { return v > 0.01F && v < 0.99F; });
        valid.push_back(inside ? 1.0F : 0.0F);
        for (const float v : box)
          logits.push_back(inside ? std::log(v / (1.0F - v)) : std::numeric_limits<float>::max());
      }
    }
    size *= 2;
  }
  const int64_t pixels = std::ssize(valid);
  return {to.floats({1, pixels, 4}, logits), to.floats({1, pixels, 1}, valid)};
}

struct Start {
  Value queries, boxes;  // [1, queries, features], [1, queries, 4] as logits
};

Start best_pixels(Exporter& to, const Value& memory, const Pyramid& maps) {
  const Anchors anchors = anchors_of(to, maps);
  const Value known = mul(to, anchors.valid, memory);
  const Value seen = layer_norm(to, linear(to, known, {.features = features}));
  const Value scores = linear(to, seen, {.features = classes, .gain = 3.0F});
  const Value boxes = add(to, perceptron(to, seen, {features, 4, 3, 0.3F}), anchors.logits);
  const int64_t count = std::min(most_queries, memory.dims[1]);
  const TopK best = top_k(to, max_of(to, scores, -1), count);
  to.select({.keys = {best.indices}, .scores = best.values});
  const Value rows = unsqueeze(to, best.indices, -1);
  return {.queries = gather_rows(to, seen, rows), .boxes = gather_rows(to, boxes, rows)};
}

Value inverse_sigmoid(Exporter& to, const Value& x) {
  const auto clipped = [&](const Value& value) {
    return to.node("Clip", {value, to.scalar(1e-5F)}, {}, value.dims);
  };
  const Value share = to.node("Clip", {x, to.scalar(0.0F), to.scalar(1.0F)}, {}, x.dims);
  const Value above = clipped(share);
  const Value below = clipped(binary(to, "Sub", to.scalar(1.0F), share));
  return unary(to, "Log", binary(to, "Div", above, below));
}

Value layer(Exporter& to, Value x, const Value& boxes, const Value& placed, const Sampled& maps) {
  const Value placed_queries = add(to, x, placed);
  x = layer_norm(to, add(to, x, attention_of(to, {placed_queries, placed_queries, x}, heads)));
  x = layer_norm(to, add(to, x, deformable_attention(to, add(to, x, placed), boxes, maps)));
  const Value wide = relu(to, linear(to, x, {.features = hidden}));
  return layer_norm(to, add(to, x, linear(to, wide, {.features = features})));
}

}  // namespace

Queries decoded(Exporter& to, const Pyramid& maps) {
  std::vector<Value> levels;
  Sampled memory;
  memory.heads = heads;
  for (const Value& map : maps) {
    levels.push_back(rows_of(to, conv(to, map, {.channels = features, .kernel = 1})));
    memory.sizes.push_back({map.dims[2], map.dims[3]});
  }
  memory.rows = concat(to, levels, 1);
  const Start start = best_pixels(to, memory.rows, maps);
  Value x = start.queries, boxes = unary(to, "Sigmoid", start.boxes);
  const int64_t inner = 2 * features;
  // One perceptron for all layers.
  const Value first = to.normal({4, inner}, 1.0F), second = to.normal({inner, features}, 0.06F);
  for (int i = 0; i < layers; ++i) {
    const Value placed = matmul(to, relu(to, matmul(to, boxes, first)), second);
    x = layer(to, x, boxes, placed, memory);
    const Value moved = perceptron(to, x, {features, 4, 3, 0.3F});
    boxes = unary(to, "Sigmoid", add(to, moved, inverse_sigmoid(to, boxes)));
  }
  return {.logits = linear(to, x, {.features = classes, .gain = 3.0F}), .boxes = boxes};
}

}  // namespace shingle::networks::rtdetr

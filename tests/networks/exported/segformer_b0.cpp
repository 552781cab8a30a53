// SegFormer-B0 for 150 classes, as Hugging Face's is exported: keys and values of smaller maps.
#include "tests/networks/exported/builders.hpp"
#include "tests/networks/exported/encoder.hpp"

namespace shingle::networks {

namespace {

constexpr int64_t decoded = 256, classes = 150;
constexpr float branch_gain = 0.5F;

struct Stage {
  int64_t channels, heads, reduction, kernel, stride;
};
constexpr Stage stages[] = {
    {32, 1, 8, 7, 4}, {64, 2, 4, 3, 2}, {160, 5, 2, 3, 2}, {256, 8, 1, 3, 2}};

Value reduced(Exporter& to, const Value& rows, const Dims& map, int64_t factor) {
  if (factor == 1) return rows;
  const Value smaller = conv(
      to, map_of(to, rows, map),
      {.channels = rows.dims[2], .kernel = factor, .stride = factor, .padding = 0, .gain = 0.7F});
  return layer_norm(to, rows_of(to, smaller));
}

Value mixed_forward(Exporter& to, const Value& rows, const Dims& map) {
  const int64_t features = rows.dims[2], wide = 4 * features;
  Value y = map_of(to, linear(to, rows, {.features = wide}), map);
  y = rows_of(to, conv(to, y, {.channels = wide, .groups = wide}));
  return linear(to, gelu(to, y), {.features = features, .gain = branch_gain});
}

Value layer(Exporter& to, Value x, const Dims& map, const Stage& stage) {
  const Value normal = layer_norm(to, x);
  const Value from = reduced(to, normal, map, stage.reduction);
  x = add(to, attention_of(to, {normal, from, from}, stage.heads), x);
  return add(to, mixed_forward(to, layer_norm(to, x), map), x);
}

Value encode(Exporter& to, const Value& x, const Stage& stage) {
  const Value map =
      conv(to, x, {.channels = stage.channels, .kernel = stage.kernel, .stride = stage.stride});
  Value y = layer_norm(to, rows_of(to, map));
  for (int i = 0; i < 2; ++i) y = layer(to, y, map.dims, stage);
  const Value last = layer_norm(to, y);
  const Value shaped = reshape(to, last, {1, map.dims[2], map.dims[3], stage.channels});
  return transpose(to, shaped, {0, 3, 1, 2});
}

}  // namespace

void export_segformer_b0(Exporter& to, const Value& x) {
  std::vector<Value> maps{x};
  for (const Stage& stage : stages) maps.push_back(encode(to, maps.back(), stage));
  const int64_t height = maps[1].dims[2], width = maps[1].dims[3];
  std::vector<Value> parts;
  for (size_t i = maps.size() - 1; i > 0; --i) {  // from the smallest
    const Value rows = linear(to, rows_of(to, maps[i]), {.features = decoded});
    parts.push_back(resize_linear(to, map_of(to, rows, maps[i].dims), height, width));
  }
  const Value fused = conv(to, concat(to, parts, 1), {.channels = decoded, .kernel = 1});
  to.output(conv(to, relu(to, fused), {.channels = classes, .kernel = 1}));
}

}  // namespace shingle::networks

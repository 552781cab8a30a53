#include "tests/networks/exported/encoder.hpp"

#include <cmath>

namespace shingle::networks {

namespace {

// [b, n, features] to [b, heads, n, depth].
Value heads_of(Exporter& to, const Value& x, int64_t heads) {
  const Value projected = linear(to, x, {.features = x.dims[2]});
  const Value split = reshape(to, projected, {x.dims[0], x.dims[1], heads, x.dims[2] / heads});
  return transpose(to, split, {0, 2, 1, 3});
}

// By head, [b, heads, n, depth].
Value mixed_values(Exporter& to, const Attended& by_head) {
  if (to.opset() >= newest_transformers) return fused_attention(to, by_head);
  const Value product = matmul(to, by_head.queries, transpose(to, by_head.keys, {0, 1, 3, 2}));
  const float root = std::sqrt(static_cast<float>(by_head.queries.dims[3]));
  const Value weights = softmax(to, binary(to, "Div", product, to.scalar(root)), -1);
  return matmul(to, weights, by_head.values);
}

}  // namespace

Value attention_of(Exporter& to, const Attended& rows, int64_t heads) {
  const Value keys = heads_of(to, rows.keys, heads);
  const Value values = heads_of(to, rows.values, heads);
  const Value queries = heads_of(to, rows.queries, heads);
  const Dims& dims = rows.queries.dims;
  const Value mixed = transpose(to, mixed_values(to, {queries, keys, values}), {0, 2, 1, 3});
  return linear(to, reshape(to, mixed, dims), {.features = dims[2], .gain = 0.5F});
}

Value fused_attention(Exporter& to, const Attended& by_head) {
  return to.node("Attention", {by_head.queries, by_head.keys, by_head.values}, {},
                 by_head.queries.dims);
}

Value norm(Exporter& to, const Value& x) {
  if (to.opset() < newest_transformers) return layer_norm(to, x);
  return to.node("RMSNormalization", {x, to.normal({x.dims.back()}, 0.1F, 1.0F)},
                 {{"axis", int64_t{-1}}, {"epsilon", 1e-6F}}, x.dims);
}

Value activated(Exporter& to, const Value& x) {
  return to.opset() < newest_transformers ? gelu(to, x) : unary(to, "Swish", x);
}

Value rows_of(Exporter& to, const Value& map) {
  return transpose(to, reshape(to, map, {1, map.dims[1], -1}), {0, 2, 1});
}

Value map_of(Exporter& to, const Value& rows, const Dims& map) {
  return reshape(to, transpose(to, rows, {0, 2, 1}), {1, rows.dims[2], map[2], map[3]});
}

}  // namespace shingle::networks

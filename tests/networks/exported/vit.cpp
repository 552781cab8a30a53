// ViT-tiny with patches of 16: 192 features, 12 blocks, 3 heads, as timm's modules are exported.
#include <cmath>

#include "tests/networks/exported/builders.hpp"
#include "tests/networks/exported/encoder.hpp"

namespace shingle::networks {

namespace {

constexpr int64_t features = 192, heads = 3, depth = features / heads;
constexpr float branch_gain = 0.5F;

// [3, 1, heads, n, depth] in three. Older exporters take each by its index.
std::vector<Value> unbind(Exporter& to, const Value& x) {
  std::vector<Value> parts;
  if (to.opset() < 18) {
    for (int64_t i = 0; i < 3; ++i) parts.push_back(at_index(to, x, 0, i));
    return parts;
  }
  for (const Value& part : split(to, x, 0, {1, 1, 1})) {
    const Dims dims(part.dims.begin() + 1, part.dims.end());
    parts.push_back(to.node("Squeeze", {part, to.integers({0})}, {}, dims));
  }
  return parts;
}

// Newer exporters write the scaled product as one function, which scales both operands.
Value scores(Exporter& to, const Value& q, const Value& k) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(depth));
  if (to.opset() < 18) {
    const Value turned = transpose(to, k, {0, 1, 3, 2});
    return matmul(to, mul(to, q, to.scalar(scale)), turned);
  }
  const Value turned = transpose(to, k, {0, 1, 3, 2}), root = to.scalar(std::sqrt(scale));
  return matmul(to, mul(to, q, root), mul(to, turned, root));
}

Value mixed_values(Exporter& to, const Attended& by_head) {
  if (to.opset() >= newest_transformers) return fused_attention(to, by_head);
  const Value weights = softmax(to, scores(to, by_head.queries, by_head.keys), -1);
  return matmul(to, weights, by_head.values);
}

Value attention(Exporter& to, const Value& x) {
  const int64_t n = x.dims[1];
  const Value packed = linear(to, x, {.features = 3 * features});
  const Value by_head = reshape(to, packed, {1, n, 3, heads, depth});
  const std::vector<Value> qkv = unbind(to, transpose(to, by_head, {2, 0, 3, 1, 4}));
  const Value mixed = transpose(to, mixed_values(to, {qkv[0], qkv[1], qkv[2]}), {0, 2, 1, 3});
  return linear(to, reshape(to, mixed, {1, n, features}),
                {.features = features, .gain = branch_gain});
}

Value block(Exporter& to, Value x) {
  x = add(to, x, attention(to, norm(to, x)));
  const Value y = activated(to, linear(to, norm(to, x), {.features = 4 * features}));
  return add(to, x, linear(to, y, {.features = features, .gain = branch_gain}));
}

}  // namespace

void export_vit_tiny(Exporter& to, const Value& x) {
  const Value patches =
      conv(to, x, {.channels = features, .kernel = 16, .stride = 16, .padding = 0});
  Value y = concat(to, {to.normal({1, 1, features}, 0.5F), rows_of(to, patches)}, 1);
  y = add(to, y, to.normal({1, y.dims[1], features}, 0.5F));
  for (int i = 0; i < 12; ++i) y = block(to, y);
  to.output(linear(to, at_index(to, norm(to, y), 1, 0), {.features = 1000}));
}

}  // namespace shingle::networks

// Parts of transformers. Attention is as in Hugging Face's exports: separate projections, and the
// product divided by the root of the depth.
#pragma once

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks {

// Rows of features: [1, n, features], of keys and values [1, m, features].
struct Attended {
  Value queries, keys, values;
};
// With the projections of all three and of the result.
Value attention_of(Exporter& to, const Attended& rows, int64_t heads);

// From this opset on transformers have ONNX's own Attention, and the norms and functions of newer
// networks: RMSNormalization and Swish.
inline constexpr int64_t newest_transformers = 24;
Value fused_attention(Exporter& to, const Attended& by_head);  // each [b, heads, rows, depth]
Value norm(Exporter& to, const Value& x);                      // over the last dim
Value activated(Exporter& to, const Value& x);

// Rows of a map's pixels, and back to a map of these dims.
Value rows_of(Exporter& to, const Value& map);
Value map_of(Exporter& to, const Value& rows, const Dims& map);

}  // namespace shingle::networks

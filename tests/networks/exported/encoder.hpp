// Attention as Hugging Face's transformers are exported: separate projections, and the product
// divided by the root of the depth.
#pragma once

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks {

// x: [1, n, features]; of `from`, [1, m, features], come keys and values. With the projection of
// the result.
Value attention_of(Exporter& to, const Value& x, const Value& from, int64_t heads);

}  // namespace shingle::networks

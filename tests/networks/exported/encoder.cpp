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

}  // namespace

Value attention_of(Exporter& to, const Value& x, const Value& from, int64_t heads) {
  const Value keys = heads_of(to, from, heads);
  const Value values = heads_of(to, from, heads);
  const Value queries = heads_of(to, x, heads);
  const Value product = matmul(to, queries, transpose(to, keys, {0, 1, 3, 2}));
  const float root = std::sqrt(static_cast<float>(x.dims[2] / heads));
  const Value weights = softmax(to, binary(to, "Div", product, to.scalar(root)), -1);
  const Value mixed = transpose(to, matmul(to, weights, values), {0, 2, 1, 3});
  return linear(to, reshape(to, mixed, x.dims), {.features = x.dims[2], .gain = 0.5F});
}

}  // namespace shingle::networks

#include "tests/networks/exported/selection.hpp"

namespace shingle::networks {

Value max_of(Exporter& to, const Value& x, int64_t axis) {
  return reduce(to, "ReduceMax", x, {axis}, false);
}

Value unsqueeze(Exporter& to, const Value& x, int64_t axis) {
  Dims dims = x.dims;
  dims.insert(axis < 0 ? dims.end() + axis + 1 : dims.begin() + axis, 1);
  return to.node("Unsqueeze", {x, to.integers({axis})}, {}, dims);
}

Value tile(Exporter& to, const Value& x, const Dims& repeats) {
  Dims dims = x.dims;
  for (size_t i = 0; i < dims.size(); ++i) dims[i] *= repeats[i];
  return to.node("Tile", {x, to.integers(repeats)}, {}, dims);
}

TopK top_k(Exporter& to, const Value& x, int64_t count) {
  Dims dims = x.dims;
  dims.back() = count;
  const std::vector<Value> found = to.nodes(
      "TopK", {x, to.integers({count})},
      {{"axis", int64_t{-1}}, {"largest", int64_t{1}}, {"sorted", int64_t{1}}}, {dims, dims});
  return {found[0], found[1]};
}

Value gather_rows(Exporter& to, const Value& x, const Value& indices) {
  const int64_t columns = x.dims[2];
  const Value repeated = columns == 1 ? indices : tile(to, indices, {1, 1, columns});
  return to.node("GatherElements", {x, repeated}, {{"axis", int64_t{1}}}, repeated.dims);
}

}  // namespace shingle::networks

// Taking and scattering of constants: exporters compute masks so.
#include <algorithm>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/indexing/indexing.hpp"
#include "partition/readers/onnx/operators/movement.hpp"

namespace shingle::onnx {

namespace {

// The place in a row-major map of each element of `dims`, whose indices along `dim` are given.
std::vector<int64_t> places_of(Node& node, const Dims& map, const Dims& dims, size_t dim,
                               const Constant& indices) {
  const int64_t count = checked_elements(dims, node.store().limits);
  node.store().budget.charge(count, 8);
  const std::vector<int64_t> strides = row_major_strides(map);
  const std::vector<int64_t> given = broadcast_strides(indices.dims, dims);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, place = 0, at = 0;
    for (size_t other = dims.size(); other-- > 0;) {
      const int64_t here = rest % dims[other];
      rest /= dims[other];
      at += here * given[other];
      if (other != dim) place += here * strides[other];
    }
    const int64_t index = indices.integers[static_cast<size_t>(at)];
    places.push_back(place + (index < 0 ? index + map[dim] : index) * strides[dim]);
  }
  return places;
}

// Integers wrap round.
int64_t combined(Scatter::Kind kind, int64_t old, int64_t update) {
  const auto left = static_cast<uint64_t>(old), right = static_cast<uint64_t>(update);
  switch (kind) {
    case Scatter::Kind::replace:
      break;
    case Scatter::Kind::add:
      return static_cast<int64_t>(left + right);
    case Scatter::Kind::mul:
      return static_cast<int64_t>(left * right);
    case Scatter::Kind::max:
      return std::max(old, update);
    case Scatter::Kind::min:
      return std::min(old, update);
  }
  return update;
}

float combined(Scatter::Kind kind, float old, float update) {
  switch (kind) {
    case Scatter::Kind::replace:
      break;
    case Scatter::Kind::add:
      return old + update;
    case Scatter::Kind::mul:
      return old * update;
    case Scatter::Kind::max:
      return std::max(old, update);
    case Scatter::Kind::min:
      return std::min(old, update);
  }
  return update;
}

}  // namespace

Constant folded_take(Node& node, const Constant& map, size_t dim, const Constant& indices) {
  Dims dims = map.dims;
  dims[dim] = indices.dims[dim];
  const std::vector<int64_t> places = places_of(node, map.dims, dims, dim, indices);
  node.store().budget.charge(std::ssize(places), map.integer ? 8 : 4);
  if (map.integer) {
    std::vector<int64_t> values;
    for (const int64_t place : places) values.push_back(map.integers[static_cast<size_t>(place)]);
    return node.store().integers(dims, std::move(values));
  }
  std::vector<float> values;
  for (const int64_t place : places) values.push_back(map.floats[place]);
  return node.store().floats(dims, std::move(values));
}

Constant folded_scatter(Node& node, const Constant& map, const ConstantChanges& changes) {
  const Constant& updates = changes.updates;
  if (updates.integer != map.integer) node.refuse("its map and its updates are of two types");
  const std::vector<int64_t> places =
      places_of(node, map.dims, updates.dims, changes.dim, changes.indices);
  node.store().budget.charge(map.count(), map.integer ? 8 : 4);
  if (map.integer) {
    std::vector<int64_t> values = map.integers;
    for (size_t i = 0; i < places.size(); ++i) {
      int64_t& value = values[static_cast<size_t>(places[i])];
      value = combined(changes.kind, value, updates.integers[i]);
    }
    return node.store().integers(map.dims, std::move(values));
  }
  std::vector<float> values;
  for (int64_t i = 0; i < map.count(); ++i) values.push_back(map.floats[i]);
  for (size_t i = 0; i < places.size(); ++i) {
    float& value = values[static_cast<size_t>(places[i])];
    value = combined(changes.kind, value, updates.floats[static_cast<int64_t>(i)]);
  }
  return node.store().floats(map.dims, std::move(values));
}

}  // namespace shingle::onnx

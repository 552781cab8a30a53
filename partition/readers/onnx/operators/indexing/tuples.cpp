#include "partition/readers/onnx/operators/indexing/tuples.hpp"

#include <algorithm>

#include "partition/model/shape.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/product.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

Tuples tuples_of(Node& node, int64_t batch_dims) {
  const Dims map = node.dims(0), given = node.dims(1);
  const auto rank = std::ssize(map), given_rank = std::ssize(given);
  const int64_t length = given.empty() ? 0 : given.back();
  const bool fits = batch_dims >= 0 && batch_dims < given_rank && length >= 1 &&
                    length <= rank - std::min<int64_t>(batch_dims, rank) &&
                    std::equal(map.begin(), map.begin() + batch_dims, given.begin());
  if (!fits) {
    node.refuse("its indices " + text_of(given) + " do not fit a map of " + text_of(map) +
                " of which " + std::to_string(batch_dims) + " dimensions are a batch");
  }
  const auto first = map.begin() + batch_dims;
  return {.batch = {map.begin(), first},
          .places = {given.begin() + batch_dims, given.end() - 1},
          .sizes = {first, first + length},
          .rest = {first + length, map.end()}};
}

Dims joined(const Dims& a, const Dims& b, const Dims& c) {
  Dims all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  return all;
}

namespace {

Value known_flat_indices(Node& node, const Constant& tuples, const Dims& sizes) {
  if (!tuples.integer) node.refuse("its indices are not integers");
  const std::vector<int64_t> strides = row_major_strides(sizes);
  Dims dims = tuples.dims;
  dims.back() = 1;
  const int64_t count = tuples.count() / std::ssize(sizes);
  node.store().budget.charge(count, 8);
  std::vector<int64_t> flat(static_cast<size_t>(count), 0);
  for (size_t i = 0; i < tuples.integers.size(); ++i) {
    const size_t part = i % sizes.size();
    const int64_t index = tuples.integers[i], size = sizes[part];
    if (index < -size || index >= size)
      node.refuse("its index " + std::to_string(index) + " is not one of " + std::to_string(size));
    flat[i / sizes.size()] += (index < 0 ? index + size : index) * strides[part];
  }
  return node.store().integers(dims, std::move(flat));
}

}  // namespace

Value flat_indices(Node& node, const Value& tuples, const Dims& sizes) {
  if (sizes.size() == 1) return tuples;
  if (checked_elements(sizes, node.store().limits) > max_index)
    node.refuse("it has more than " + std::to_string(max_index) + " elements to choose from");
  if (const Constant* known = std::get_if<Constant>(&tuples))
    return known_flat_indices(node, *known, sizes);
  // Two products, of the indices and of what is below 0. All are whole numbers, and exact.
  std::vector<float> strides, laps;
  for (const int64_t stride : row_major_strides(sizes))
    strides.push_back(static_cast<float>(stride));
  for (size_t i = 0; i < sizes.size(); ++i)
    laps.push_back(strides[i] * static_cast<float>(sizes[i]));
  const Dims rows = dims_of(tuples), column{std::ssize(sizes), 1};
  const Value pairs =
      reshaped_value(node, tuples, {product_of(rows) / std::ssize(sizes), std::ssize(sizes)});
  node.store().budget.charge(2 * std::ssize(sizes) + 1);
  const Constant zero = node.store().floats({}, {0.0F});
  const Box negative = combine(node, Binary::Kind::less, pairs, zero);
  const Box flat =
      combine(node, Binary::Kind::add,
              matrix_product(node, pairs, node.store().floats(column, std::move(strides))),
              matrix_product(node, negative, node.store().floats(column, std::move(laps))));
  Dims dims = rows;
  dims.back() = 1;
  return reshaped_value(node, flat, dims);
}

}  // namespace shingle::onnx

#include <algorithm>
#include <limits>

#include "partition/model/shape.hpp"
#include "partition/readers/onnx/operators/counts/carry.hpp"
#include "partition/readers/onnx/operators/counts/lists.hpp"
#include "partition/readers/onnx/operators/counts/masks.hpp"
#include "partition/readers/onnx/operators/counts/rules.hpp"
#include "partition/readers/onnx/operators/movement.hpp"

namespace shingle::onnx {

// The output has the dims of the indices.
void carry_indices(Node& node, Translation translate) {
  const Counts counts = counts_at(node, 1);
  translate(node);
  set_counts(node, 0, counts);
}

// The output is [batch..., places..., rest...] where the indices are [batch..., places..., k].
void carry_tuples(Node& node, Translation translate) {
  const Dims indices = node.dims(1);
  if (is_empty(node, 0) && !indices.empty() && !node.has_attribute("batch_dims") &&
      indices.back() >= 1 && indices.back() <= std::ssize(node.dims(0))) {
    const Dims places(indices.begin(), indices.end() - 1);
    return set_empty(node,
                     replaced_dims(node.dims(0), 0, static_cast<size_t>(indices.back()), places));
  }
  translate(node);  // refuses dims that do not fit
  const auto batch = static_cast<size_t>(node.integer("batch_dims", 0));
  const size_t chosen = batch + static_cast<size_t>(indices.back());
  Counts after;
  for (const Counted& counted : counts_at(node, 1)) {
    if (counted.dim + 1 == indices.size())
      node.refuse("how many indices it takes for an element depends on the input");
    add_count(node, after, counted.dim, counted.count);
  }
  for (const Counted& counted : counts_at(node, 0)) {
    if (counted.dim < batch) add_count(node, after, counted.dim, counted.count);
    if (counted.dim < chosen) continue;
    add_count(node, after, counted.dim - chosen + indices.size() - 1, counted.count);
  }
  set_counts(node, 0, after);
}

namespace {

// The updates' dims that the indices do not have are the map's last ones, and end where these do.
void check_updates(Node& node, const Counts& map, const Counts& indices) {
  const size_t map_rank = node.dims(0).size(), rank = node.dims(2).size();
  const bool by_tuples = node.op() == "ScatterND";
  const size_t places = by_tuples ? node.dims(1).size() - 1 : rank;
  for (const Counted& counted : counts_at(node, 2)) {
    const Amount* same = counted.dim < places ? count_of(indices, counted.dim)
                                              : count_of(map, counted.dim + map_rank - rank);
    if (same == nullptr || *same != counted.count)
      node.refuse("dimension " + std::to_string(counted.dim) +
                  " of its updates has a size that depends on the input, and not the size of its "
                  "indices or its map");
  }
}

}  // namespace

// An index off the map changes nothing.
void mask_indices(Node& node, Translation translate) {
  const Counts map = counts_at(node, 0), indices = counts_at(node, 1);
  if (node.dims(1).empty() || node.dims(2).empty()) return translate(node);  // it refuses them
  const bool by_tuples = node.op() == "ScatterND";
  if (by_tuples && count_of(indices, node.dims(1).size() - 1) != nullptr)
    node.refuse("how many indices it takes for an element depends on the input");
  check_updates(node, map, indices);
  mask_input(node, 1, static_cast<float>(max_index));
  translate(node);
  set_counts(node, 0, map);
}

void mask_order(Node& node, Translation translate) {
  const Dims dims = node.dims(0);
  const size_t dim = node.axis(node.integer("axis", -1), dims.size());
  const Counts counts = counts_at(node, 0);
  const Amount* there = count_of(counts, dim);
  const Amount places = there != nullptr ? *there : known_amount(dims[dim]);
  const Amount wanted = node.opset() < 10 ? known_amount(node.integer("k", 0)) : amount_at(node, 1);
  // NaN is sorted as the largest number, and of equal ones the first stays first.
  const bool largest = node.integer("largest", 1) != 0;
  mask_dim(
      node, 0, dim,
      largest ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN());
  Counts after = counts;
  std::erase_if(after, [&](const Counted& counted) { return counted.dim == dim; });
  add_count(node, after, dim, smaller(node, wanted, places));
  if (node.opset() >= 10)
    node.replace(1, node.store().integers({1}, {std::min(wanted.high(), dims[dim])}));
  translate(node);
  for (const size_t output : {0, 1}) set_counts(node, output, after);
}

}  // namespace shingle::onnx

#include <algorithm>

#include "partition/readers/onnx/operators/counts/carry.hpp"
#include "partition/readers/onnx/operators/counts/lists.hpp"
#include "partition/readers/onnx/operators/counts/masks.hpp"
#include "partition/readers/onnx/operators/counts/places.hpp"
#include "partition/readers/onnx/operators/counts/rules.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

namespace {

Dims dims_made(Node& node, size_t output) {
  const Value* made = node.made(output);
  return made == nullptr ? Dims{} : dims_of(*made);
}

// Counts of inputs whose dims are aligned at the last one.
Counts aligned(Node& node, const Dims& out) {
  Counts counts;
  for (size_t input = 0; input < node.inputs(); ++input) {
    if (!node.has(input)) continue;
    const Dims dims = node.dims(input);
    for (const Counted& counted : counts_at(node, input)) {
      const size_t dim = counted.dim + out.size() - dims.size();
      check_broadcast(node, dims[counted.dim], out[dim]);
      add_count(node, counts, dim, counted.count);
    }
  }
  return counts;
}

}  // namespace

void carry_elements(Node& node, Translation translate) {
  translate(node);
  if (node.made(0) == nullptr) return;
  set_counts(node, 0, aligned(node, dims_made(node, 0)));
}

void carry_reshape(Node& node, Translation translate) {
  std::vector<Amount> target;
  if (node.op() == "Reshape" && node.has(1)) {
    const AmountList list = list_at(node, 1);
    node.replace(1, highest(node, list));
    target = list.elements;
  }
  const Dims from = node.dims(0);
  const Counts counts = counts_at(node, 0);
  translate(node);
  const Counts after = reshaped_counts(node, from, counts, dims_made(node, 0), target);
  for (size_t dim = 0; dim < target.size(); ++dim) {
    if (target[dim].known()) continue;
    const Amount* count = count_of(after, dim);
    if (count == nullptr || *count != target[dim])
      node.refuse("shingle cannot tell that dimension " + std::to_string(dim) +
                  " of its output has the size that it is given, which depends on the input");
  }
  set_counts(node, 0, after);
}

// A dim that is inserted is told from one that has at most one element.
void carry_unsqueeze(Node& node, Translation translate) {
  const Counts counts = counts_at(node, 0);
  translate(node);
  const size_t rank = dims_made(node, 0).size();
  const Dims axes =
      node.opset() >= 13 && node.has(1) ? node.integer_list(1) : node.integers("axes");
  std::vector<bool> inserted(rank, false);
  for (const int64_t axis : axes) inserted[node.axis(axis, rank)] = true;
  Counts after;
  size_t from = 0;
  for (size_t dim = 0; dim < rank; ++dim) {
    if (inserted[dim]) continue;
    if (const Amount* count = count_of(counts, from++)) add_count(node, after, dim, *count);
  }
  set_counts(node, 0, after);
}

void carry_transpose(Node& node, Translation translate) {
  const Counts counts = counts_at(node, 0);
  const size_t rank = node.dims(0).size();
  translate(node);
  Dims reversed;
  for (size_t dim = rank; dim-- > 0;) reversed.push_back(static_cast<int64_t>(dim));
  const Dims permutation = node.integers("perm", reversed);
  Counts after;
  for (size_t dim = 0; dim < rank; ++dim)
    if (const Amount* count = count_of(counts, static_cast<size_t>(permutation[dim])))
      add_count(node, after, dim, *count);
  set_counts(node, 0, after);
}

namespace {

// The places before the counts of operands that stand one behind the other.
Places places_before(Node& node, const std::vector<Amount>& counts, const Dims& operand_sizes) {
  std::vector<TensorId> masks;
  Amount total;
  int64_t most = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const int64_t size = operand_sizes[i];
    const std::vector<Axis> row{Axis::c};
    if (counts[i].known()) {
      node.store().budget.charge(size);
      const std::vector<float> ones(static_cast<size_t>(size), 1.0F);
      masks.push_back(node.constant_tensor({1, 1, static_cast<int32_t>(size)}, ones));
    } else {
      const Box mask = before(node, counts[i], size, 0);
      masks.push_back(node.laid_out(mask, arranged(mask.view, row)).tensor);
    }
    total = sum(node, total, counts[i]);
    most += size;
  }
  const View view = map_view({1, most}, {Axis::x, Axis::c});
  const Box mask = node.emit(Concat{Axis::c}, std::move(masks), view);
  const Box places = node.emit(NonZero{}, {mask.tensor}, map_view({most}, {Axis::x}));
  return {.tensor = places.tensor, .most = most, .count = total};
}

// Operands one behind the other: each loses what stands behind its count.
void close_up(Node& node, size_t dim, const std::vector<Amount>& counts, const Dims& operand_sizes,
              Counts& after) {
  Amount total;
  bool has_gap = false;
  for (size_t i = 0; i < counts.size(); ++i) {
    total = sum(node, total, counts[i]);
    has_gap = has_gap || (i + 1 < counts.size() && !counts[i].known());
  }
  if (has_gap) {
    const Places places = places_before(node, counts, operand_sizes);
    node.set(picked(node, *node.made(0), dim, places));
  }
  add_count(node, after, dim, total);
}

}  // namespace

void carry_concat(Node& node, Translation translate) {
  const size_t dim = node.axis(node.integer("axis", 1), node.dims(0).size());
  Counts after;
  std::vector<Amount> counts;
  Dims operand_sizes;
  for (size_t input = 0; input < node.inputs(); ++input) {
    const Dims dims = node.dims(input);
    if (dim >= dims.size()) node.refuse("its operands differ in dimensions");
    if (dims[dim] == 0) continue;
    operand_sizes.push_back(dims[dim]);
    counts.push_back(known_amount(dims[dim]));
    for (const Counted& counted : counts_at(node, input)) {
      if (counted.dim == dim)
        counts.back() = counted.count;
      else
        add_count(node, after, counted.dim, counted.count);
    }
  }
  translate(node);
  close_up(node, dim, counts, operand_sizes, after);
  set_counts(node, 0, after);
}

void carry_split(Node& node, Translation translate) {
  const Counts counts = counts_at(node, 0);
  const size_t dim = node.axis(node.integer("axis", 0), node.dims(0).size());
  if (count_of(counts, dim) != nullptr)
    node.refuse("it splits a dimension whose size depends on the input");
  translate(node);
  for (size_t output = 0; output < node.outputs(); ++output) set_counts(node, output, counts);
}

// An index is one of the places that count, so the dim that is chosen from loses its count.
void carry_gather(Node& node, Translation translate) {
  const size_t dim = node.axis(node.integer("axis", 0), node.dims(0).size());
  const size_t index_rank = node.dims(1).size();
  Counts after;
  for (const Counted& counted : counts_at(node, 0)) {
    if (counted.dim != dim) {
      const size_t moved = counted.dim < dim ? counted.dim : counted.dim + index_rank - 1;
      add_count(node, after, moved, counted.count);
      continue;
    }
    const Constant* indices = std::get_if<Constant>(&node.value(1));
    if (indices == nullptr) continue;
    for (const int64_t index : indices->integers)
      if (index < 0)
        node.refuse("it counts from the end of a dimension whose size depends on the input");
  }
  for (const Counted& counted : counts_at(node, 1))
    add_count(node, after, dim + counted.dim, counted.count);
  if (is_empty(node, 0)) return set_empty(node, replaced_dims(node.dims(0), dim, 1, node.dims(1)));
  translate(node);
  set_counts(node, 0, after);
}

// Rows of the first operand, columns of the second, stacks of both. The dim that is summed over may
// not have a count.
void carry_rows(Node& node, Translation translate) {
  const bool turned = node.integer("transA", 0) != 0 || node.integer("transB", 0) != 0;
  const size_t rank_a = node.dims(0).size(), rank_b = node.dims(1).size();
  const Counts first = counts_at(node, 0), second = counts_at(node, 1), third = counts_at(node, 2);
  const bool sums = count_of(first, rank_a - 1) != nullptr ||
                    (rank_b > 1 && count_of(second, rank_b - 2) != nullptr) || rank_b < 2 ||
                    rank_a < 2;
  if (turned || sums || !third.empty())
    node.refuse("it sums along a dimension whose size depends on the input");
  translate(node);
  const Dims out = dims_made(node, 0);
  Counts after;
  for (const Counts* counts : {&first, &second}) {
    const size_t rank = counts == &first ? rank_a : rank_b;
    const Dims dims = node.dims(counts == &first ? 0 : 1);
    for (const Counted& counted : *counts) {
      const size_t dim = counted.dim + out.size() - rank;
      check_broadcast(node, dims[counted.dim], out[dim]);
      add_count(node, after, dim, counted.count);
    }
  }
  set_counts(node, 0, after);
}

// What is left of the condition's dim has the condition's count; the other dims keep theirs.
void carry_compress(Node& node, Translation translate) {
  const Counts counts = counts_at(node, 0);
  const bool flattens = !node.has_attribute("axis");
  if (flattens && counts_at(node, 0).size() > 0)
    node.refuse("it takes elements one by one of an input whose size depends on the input");
  const size_t dim = flattens ? 0 : node.axis(node.integer("axis", 0), node.dims(0).size());
  mask_input(node, 1, 0.0F);
  translate(node);
  const Value* made = node.made(0);
  if (made == nullptr) return;
  const Box* box = std::get_if<Box>(made);
  Counts after = box == nullptr ? Counts{} : box->counts;
  std::erase_if(after, [&](const Counted& counted) { return counted.dim != dim; });
  for (const Counted& counted : counts)
    if (counted.dim != dim) add_count(node, after, counted.dim, counted.count);
  set_counts(node, 0, after);
}

}  // namespace shingle::onnx

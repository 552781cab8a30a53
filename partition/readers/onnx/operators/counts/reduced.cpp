#include <limits>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/counts/carry.hpp"
#include "partition/readers/onnx/operators/counts/lists.hpp"
#include "partition/readers/onnx/operators/counts/masks.hpp"
#include "partition/readers/onnx/operators/counts/rules.hpp"
#include "partition/readers/onnx/operators/reduction.hpp"

namespace shingle::onnx {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

// What a reduction does not notice; none: there is no such number.
std::optional<float> neutral(std::string_view op) {
  if (op == "ReduceProd") return 1.0F;
  if (op == "ReduceMax" || op == "ReduceLogSumExp") return -infinity;
  if (op == "ReduceMin") return infinity;
  if (op == "ReduceSum" || op == "ReduceL1" || op == "ReduceL2" || op == "ReduceSumSquare" ||
      op == "ReduceLogSum")
    return 0.0F;
  return std::nullopt;
}

// The counts of dims that are left when the marked ones are reduced.
Counts left(Node& node, const Counts& counts, const std::vector<bool>& marked, bool keeps) {
  Counts after;
  for (const Counted& counted : counts) {
    if (marked[counted.dim]) continue;
    size_t gone = 0;
    for (size_t dim = 0; dim < counted.dim; ++dim) gone += !keeps && marked[dim] ? 1 : 0;
    add_count(node, after, counted.dim - gone, counted.count);
  }
  return after;
}

// The sum of what counts, by how many these are.
void mean(Node& node, const Counts& counts, const std::vector<bool>& marked) {
  Amount places = known_amount(1);
  const Dims dims = node.dims(0);
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    if (!marked[dim]) continue;
    const Amount* count = count_of(counts, dim);
    places = product(node, places, count != nullptr ? *count : known_amount(dims[dim]));
  }
  const Box total = reduced(node, Reduction::Kind::sum, node.box(0), marked);
  const Box divisor{.tensor = tensor_of(node, places), .view = map_view({})};
  const Box result = combine(node, Binary::Kind::div, total, divisor);
  node.set(node.integer("keepdims", 1) == 0 ? without(result, marked) : result);
}

}  // namespace

void mask_reduced(Node& node, Translation translate) {
  const Counts counts = counts_at(node, 0);
  const std::vector<bool> marked = reduced_dims(node, node.dims(0).size());
  const bool is_mean = node.op() == "ReduceMean";
  bool any = false;
  for (const Counted& counted : counts) {
    if (!marked[counted.dim]) continue;
    any = true;
    mask_dim(node, 0, counted.dim, is_mean ? 0.0F : *neutral(node.op()));
  }
  if (any && is_mean)
    mean(node, counts, marked);
  else
    translate(node);
  set_counts(node, 0, left(node, counts, marked, node.integer("keepdims", 1) != 0));
}

void mask_arg(Node& node, Translation translate) {
  const Counts counts = counts_at(node, 0);
  std::vector<bool> marked(node.dims(0).size(), false);
  const size_t dim = node.axis(node.integer("axis", 0), marked.size());
  marked[dim] = true;
  mask_dim(node, 0, dim, node.op() == "ArgMax" ? -infinity : infinity);
  if (count_of(counts, dim) != nullptr && node.integer("select_last_index", 0) != 0)
    node.refuse("it takes the last place of a dimension whose size depends on the input");
  translate(node);
  set_counts(node, 0, left(node, counts, marked, node.integer("keepdims", 1) != 0));
}

void mask_softmax(Node& node, Translation translate) {
  const Counts counts = counts_at(node, 0);
  const size_t rank = node.dims(0).size();
  const bool flattens = node.opset() < 13;
  const size_t axis = node.axis(node.integer("axis", flattens ? 1 : -1), rank);
  for (size_t dim = axis; dim < (flattens ? rank : axis + 1); ++dim)
    mask_dim(node, 0, dim, -infinity);
  translate(node);
  set_counts(node, 0, counts);
}

void mask_sum(Node& node, Translation translate) {
  const Counts counts = counts_at(node, 0);
  mask_input(node, 0, 0.0F);  // a sum from behind would see it
  translate(node);
  set_counts(node, 0, counts);
}

// A score that is no number selects nothing.
void mask_scores(Node& node, Translation translate) {
  mask_input(node, 1, no_number);
  translate(node);
}

// Exporters write a NonZero for each value that a mask selects from. All of one mask have one
// result, so that their counts are seen to be equal.
void mask_zeros(Node& node, Translation translate) {
  if (!node.has(0)) return translate(node);  // it refuses the node
  const std::string_view of = node.input_name(0);
  if (const auto found = node.found_places().find(of); found != node.found_places().end()) {
    const Counts counts = found->second.counts;
    node.set(found->second);
    return set_counts(node, 0, counts);
  }
  mask_input(node, 0, 0.0F);
  translate(node);
  const Value* made = node.made(0);
  if (made == nullptr || !std::holds_alternative<Box>(*made)) return;
  Box box = std::get<Box>(*made);
  box.sole = false;
  node.set(box);
  node.found_places().emplace(of, std::move(box));
}

}  // namespace shingle::onnx

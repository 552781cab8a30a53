#include "partition/readers/onnx/operators/attention/mask.hpp"

#include <limits>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/pad.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/values/logic.hpp"

namespace shingle::onnx {

namespace {

constexpr size_t input = 3;  // attn_mask
constexpr float hidden = -std::numeric_limits<float>::infinity();

// A mask of booleans is 0 where it holds. Constants of integers count as booleans.
Value as_floats(Node& node) {
  const Value& mask = node.value(input);
  const bool truth = node.is_constant(input) ? node.constant(input).integer
                                             : node.numbers(input) == Numbers::truth;
  if (!truth) return mask;
  const Constant seen = node.store().floats({}, {0.0F});
  const Constant unseen = node.store().floats({}, {hidden});
  if (!node.is_constant(input)) return either(node, mask, seen, unseen);
  return folded_where(node, node.constant(input), seen, unseen);
}

// Keys that the mask does not know are hidden.
Value lengthened(Node& node, const Value& mask, int64_t missing) {
  Dims dims = dims_of(mask);
  if (const Box* box = std::get_if<Box>(&mask)) {
    Pads pads{.before = Dims(dims.size(), 0), .after = Dims(dims.size(), 0)};
    pads.after.back() = missing;
    return surrounded(node, *box, pads, hidden);
  }
  dims.back() = missing;
  const int64_t count = checked_elements(dims, node.store().limits);
  node.store().budget.charge(count);
  const Constant rest =
      node.store().floats(dims, std::vector<float>(static_cast<size_t>(count), hidden));
  return joined(node, {&std::get<Constant>(mask), &rest}, dims.size() - 1);
}

Value mask_of_input(Node& node, const ScoreDims& scores) {
  Dims given = node.dims(input);
  const Dims full{scores.batch, scores.key_heads * scores.group, scores.queries, scores.keys};
  const bool shorter =
      node.opset() >= 24 && !given.empty() && given.back() >= 1 && given.back() < scores.keys;
  bool fits = !given.empty() && given.size() <= full.size();
  for (size_t back = 1; fits && back <= given.size(); ++back) {
    const int64_t size = given[given.size() - back];
    fits = size == 1 || size == full[full.size() - back] || (back == 1 && shorter);
  }
  if (!fits) {
    node.refuse("its mask " + text_of(given) + " does not broadcast to its scores " +
                text_of(full));
  }
  Value mask = as_floats(node);
  if (shorter) mask = lengthened(node, mask, scores.keys - given.back());
  Dims dims = dims_of(mask);
  dims.insert(dims.begin(), full.size() - dims.size(), 1);
  const bool by_head = dims[1] != 1;
  dims[1] = by_head ? scores.key_heads : 1;
  dims.insert(dims.begin() + 2, by_head ? scores.group : 1);
  return reshaped_value(node, mask, dims);
}

// [queries][keys]: a query sees no key that stands behind it.
Constant triangle(Node& node, const ScoreDims& scores) {
  const Dims dims{scores.queries, scores.keys};
  node.store().budget.charge(checked_elements(dims, node.store().limits));
  std::vector<float> values;
  for (int64_t query = 0; query < scores.queries; ++query) {
    for (int64_t key = 0; key < scores.keys; ++key) values.push_back(key > query ? hidden : 0.0F);
  }
  return node.store().floats(dims, std::move(values));
}

}  // namespace

std::optional<Value> attention_mask(Node& node, const ScoreDims& scores) {
  std::optional<Value> mask;
  if (node.has(input)) mask = mask_of_input(node, scores);
  if (node.integer("is_causal", 0) == 0) return mask;
  const Constant causal = triangle(node, scores);
  if (!mask) return causal;
  if (const Constant* known = std::get_if<Constant>(&*mask))
    return folded_binary(node, "Add", *known, causal);
  return combine(node, Binary::Kind::add, *mask, causal);
}

}  // namespace shingle::onnx

// Attention without a cache: softmax(queries * keys' * scale + mask) * values, head by head, as two
// products of values. The heads of queries that share a head of keys are rows of one product:
//
//   queries [batch][key heads][group][queries][size]   keys [batch][key heads][1][keys][size]
//   scores  [batch][key heads][group][queries][keys]   values as the keys
#include <cmath>

#include "partition/readers/onnx/operators/attention/heads.hpp"
#include "partition/readers/onnx/operators/attention/mask.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/product.hpp"
#include "partition/readers/onnx/operators/reduction.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/patterns/chains.hpp"

namespace shingle::onnx {

namespace {

using Kind = Binary::Kind;

struct Operands {
  Value queries, keys, values;  // [batch][heads][places][size]
};

ScoreDims checked_dims(Node& node, const Operands& operands) {
  const Dims q = dims_of(operands.queries), k = dims_of(operands.keys),
             v = dims_of(operands.values);
  const bool keys_fit = q[0] == k[0] && q[1] % k[1] == 0 && q[3] == k[3];
  if (!keys_fit || k[0] != v[0] || k[1] != v[1] || k[2] != v[2]) {
    node.refuse("its queries " + text_of(q) + ", keys " + text_of(k) + " and values " + text_of(v) +
                " do not fit");
  }
  if (std::holds_alternative<Constant>(operands.queries) &&
      std::holds_alternative<Constant>(operands.keys)) {
    node.refuse(
        "its queries and keys are constants, and shingle needs one that depends on the "
        "model's input");
  }
  return {.batch = q[0], .key_heads = k[1], .group = q[1] / k[1], .queries = q[2], .keys = k[2]};
}

Value scaled(Node& node, const Value& queries) {
  const double size = static_cast<double>(dims_of(queries).back());
  const float usual = static_cast<float>(1.0 / std::sqrt(size));
  const Constant scale = node.store().floats({}, {node.number("scale", usual)});
  if (const Constant* known = std::get_if<Constant>(&queries))
    return folded_binary(node, "Mul", *known, scale);
  return arithmetic(node, Kind::mul, queries, scale);
}

// Large scores come near to the cap, and never reach it.
Box capped(Node& node, const Box& scores) {
  const float cap = node.number("softcap", 0.0F);
  if (cap == 0.0F) return scores;
  if (!(cap > 0.0F) || !std::isfinite(cap)) node.refuse("its softcap is not a positive number");
  const Box shares = combine(node, Kind::div, scores, cap);
  return combine(node, Kind::mul, node.activate(shares, {.kind = Activation::Kind::tanh}), cap);
}

void refuse_caches(Node& node) {
  if (node.has(4) || node.has(5) || node.has(6)) {
    node.refuse(
        "it continues keys and values of earlier runs (past_key, past_value, "
        "nonpad_kv_seqlen), and shingle keeps nothing between frames");
  }
}

// The scores, if the file gives them a name. Their modes 1 and 2 have changed places in later texts
// of ONNX, so they are refused.
void set_scores(Node& node, const Box& scores, const Box& weights, const Dims& dims) {
  if (node.outputs() < 4) return;
  const int64_t mode = node.integer("qk_matmul_output_mode", 0);
  if (mode != 0 && mode != 3) {
    node.refuse("it gives its scores in mode " + std::to_string(mode) +
                ", and shingle has those of the modes 0 and 3");
  }
  node.set(3, reshaped_value(node, mode == 0 ? scores : weights, dims));
}

}  // namespace

void attention(Node& node) {
  refuse_caches(node);
  const bool flat = node.dims(0).size() == 3;
  const Operands operands{.queries = in_heads(node, 0, "q_num_heads"),
                          .keys = in_heads(node, 1, "kv_num_heads"),
                          .values = in_heads(node, 2, "kv_num_heads")};
  const ScoreDims dims = checked_dims(node, operands);
  const int64_t size = dims_of(operands.queries).back(), width = dims_of(operands.values).back();
  const Value queries =
      reshaped_value(node, scaled(node, operands.queries),
                     {dims.batch, dims.key_heads, dims.group, dims.queries, size});
  const Value keys =
      reshaped_value(node, operands.keys, {dims.batch, dims.key_heads, 1, dims.keys, size});
  const Value values =
      reshaped_value(node, operands.values, {dims.batch, dims.key_heads, 1, dims.keys, width});
  const Box scores = matrix_product(node, queries, permuted(node, keys, {0, 1, 2, 4, 3}));
  const std::optional<Value> mask = attention_mask(node, dims);
  const Box limited = capped(node, scores);  // before the mask: its infinities stay
  const Box seen = mask ? combine(node, Kind::add, limited, *mask) : limited;
  const Box weights = softmax_over(node, seen, {false, false, false, false, true}, false);
  const Value result =
      reshaped_value(node, matrix_product(node, weights, values),
                     {dims.batch, dims.key_heads * dims.group, dims.queries, width});
  node.set(1, operands.keys);
  node.set(2, operands.values);
  set_scores(node, scores, weights,
             {dims.batch, dims.key_heads * dims.group, dims.queries, dims.keys});
  node.set(flat ? joined_heads(node, result) : result);
}

}  // namespace shingle::onnx

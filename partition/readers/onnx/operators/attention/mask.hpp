// The mask of an attention: what is added to its scores before the softmax.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// The sizes of the scores: [batch][heads of keys][queries' heads for each][queries][keys].
struct ScoreDims {
  int64_t batch, key_heads, group, queries, keys;
};

// The node's input `attn_mask` and its attribute `is_causal` as one value of 5 dims that broadcasts
// to the scores; none if the node has neither. Refuses a mask that does not broadcast.
std::optional<Value> attention_mask(Node& node, const ScoreDims& scores);

}  // namespace shingle::onnx

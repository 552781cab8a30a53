// An operand of an attention by heads: [batch][heads][places][size].
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// The input by heads. One of 3 dims, [batch][places][features], has the features of all heads in
// its last, and the attribute `count_of_heads` says how many. Refuses other dims, and integers.
Value in_heads(Node& node, size_t input, std::string_view count_of_heads);

// [batch][places][features of all heads] from a value by heads.
Value joined_heads(Node& node, const Value& value);

}  // namespace shingle::onnx

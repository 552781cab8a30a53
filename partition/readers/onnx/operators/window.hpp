// The sliding-window attributes that convolutions and poolings share.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

struct Windows {
  Window y, x;  // y stays {} where the operator has one spatial dimension
};

// kernel, strides, dilations, pads and auto_pad of an operator on `input` ([1, C, (H,) W]).
// `kernel` has one size for each spatial dimension. Refuses what is out of range.
Windows windows(const Node& node, const Dims& input, const Dims& kernel);

// The same without padding, which transposed convolutions reckon otherwise.
Windows unpadded_windows(const Node& node, const Dims& input, const Dims& kernel);

// An attribute with one integer for each of `count`, all of them `otherwise` where it is left out.
Dims list_attribute(const Node& node, std::string_view name, size_t count, int64_t otherwise);

}  // namespace shingle::onnx

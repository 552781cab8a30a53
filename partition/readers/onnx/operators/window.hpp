// The sliding-window attributes of convolutions and poolings.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

struct Windows {
  Window y, x;  // y stays {} if the operator has one spatial dimension
};

// Reads kernel, strides, dilations, pads and auto_pad of an operator on `input` ([1, C, (H,) W]).
// `kernel` has one size for each spatial dimension. Refuses values out of range.
Windows windows(const Node& node, const Dims& input, const Dims& kernel);

// The same without padding, which transposed convolutions compute in another way.
Windows unpadded_windows(const Node& node, const Dims& input, const Dims& kernel);

// Outputs along an axis of `size`. With ceil rounding, the last window may reach beyond the
// padding; a window that would begin there does not count.
int64_t outputs_of(const Window& window, int64_t size, bool ceil);

// An attribute of `count` integers; all are `otherwise` if it is left out.
Dims list_attribute(const Node& node, std::string_view name, size_t count, int64_t otherwise);

}  // namespace shingle::onnx

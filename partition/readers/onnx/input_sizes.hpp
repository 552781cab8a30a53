// The sizes of a file's inputs: those of the file, those of the user where the file leaves them
// open, and 1 for a first dimension that neither gives.
#pragma once

#include <string_view>
#include <vector>

#include "partition/readers/onnx/file.hpp"
#include "partition/readers/onnx/view.hpp"

namespace shingle::onnx {

// The inputs that a frame supplies; old files also list their weights as inputs.
std::vector<const ValueInfo*> frame_inputs(const Graph& graph);

struct InputSizes {
  std::vector<Dims> dims;     // by input
  bool said_outside = false;  // the file alone gives other sizes, or none
};

// Equal symbols have equal sizes. Throws Refusal if a size stays open, or if `said` does not fit
// the inputs.
InputSizes sizes_of(const std::vector<const ValueInfo*>& inputs, const InputShapes& said,
                    const OnnxLimits& limits);

}  // namespace shingle::onnx

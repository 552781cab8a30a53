// How large a file's inputs are: what the file says, what the user says where it leaves sizes open,
// and 1 for a first dimension that nobody speaks of.
#pragma once

#include <string_view>
#include <vector>

#include "partition/readers/onnx/file.hpp"
#include "partition/readers/onnx/view.hpp"

namespace shingle::onnx {

// The inputs that a frame gives; old files list their weights among them too.
std::vector<const ValueInfo*> frame_inputs(const Graph& graph);

struct InputSizes {
  std::vector<Dims> dims;     // by input
  bool said_outside = false;  // the file alone says other sizes, or none
};

// Throws Refusal: a size is free, or what is said fits no input. Equal symbols are equal sizes.
InputSizes sizes_of(const std::vector<const ValueInfo*>& inputs, const InputShapes& said,
                    const OnnxLimits& limits);

}  // namespace shingle::onnx

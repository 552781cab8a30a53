// Outputs of the file that are known when it is read: a caller gets them with each frame, as all
// others.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// A layer whose output is the constant, whatever the model's input `frame` holds. An output is made
// by a layer, and a layer needs something of the frame: here one element, of which nothing is left.
Box known_output(Node& node, TensorId frame, const Constant& constant);

}  // namespace shingle::onnx

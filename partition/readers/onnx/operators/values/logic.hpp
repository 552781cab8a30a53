// Chooses between two values, element by element.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// `yes` where the condition is not 0, otherwise `no`. REQUIRES: at least one of the three is a Box.
Value either(Node& node, const Value& condition, const Value& yes, const Value& no);

}  // namespace shingle::onnx

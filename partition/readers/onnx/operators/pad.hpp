// A border round a value.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// By dim. A negative pad removes that many elements.
struct Pads {
  Dims before, after;
};

// Adds the pads that are not negative, filled with `value`. Refuses to pad one of several dims that
// share an axis of the map.
Box surrounded(Node& node, const Box& inner, const Pads& pads, float value);

}  // namespace shingle::onnx

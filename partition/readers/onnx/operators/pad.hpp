// A border round a value.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// By dim. A negative pad cuts so many elements off.
struct Pads {
  Dims before, after;
};

// What of the pads is not negative, filled with `value`. Refuses to pad one of several dims that
// lie in one axis of the map.
Box surrounded(Node& node, const Box& inner, const Pads& pads, float value);

}  // namespace shingle::onnx

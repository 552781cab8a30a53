// A border round a value.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// By dim. A negative pad removes that many elements.
struct Pads {
  Dims before, after;
};

// The dims that the pads of a Pad speak of, in their order: those of input 3 (from opset 18 on), or
// all.
std::vector<size_t> padded_dims(Node& node, size_t rank);

// Adds the pads that are not negative, filled with `value`. Refuses to pad one of several dims that
// share an axis of the map.
Box surrounded(Node& node, const Box& inner, const Pads& pads, float value);

}  // namespace shingle::onnx

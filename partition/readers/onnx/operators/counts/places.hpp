// Which elements hold something, and the elements at such places.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// Rising indices, as a tensor of 1 x `most` x 1; behind the last of them stands -1.
struct Places {
  TensorId tensor;
  int64_t most = 0;
  Amount count{};
};

// Those of the elements, in the file's order, that are not 0.
Places places_that_hold(Node& node, const Box& box);

// How many elements of a list are not below 0.
Amount places_in(Node& node, const Box& list);

// The elements at the places along one dim, which gets `most` elements.
Box picked(Node& node, const Value& value, size_t dim, const Places& places);

}  // namespace shingle::onnx

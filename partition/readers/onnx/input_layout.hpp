// How the frame's inputs lie in their boxes.
#pragma once

#include "partition/readers/onnx/file.hpp"
#include "partition/readers/onnx/view.hpp"

namespace shingle::onnx {

// The view of an input of `dims`. Usually its channels come first (map_view). A picture of
// 1xHxWx3 or 1xHxWx1, as TensorFlow has them, lies as such if the graph brings it to 1xCxHxW before
// anything looks at it as a map: so neither the picture nor a layer moves an element.
View input_view(const Graph& graph, std::string_view input, const Dims& dims);

}  // namespace shingle::onnx

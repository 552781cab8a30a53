// A matrix product of two values that both depend on the model's input.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// As MatMul: [..., m, k] times [..., k, n]; leading dims are broadcast. All products of two
// elements exist at once: m * n * k elements for each matrix, refused above the limits.
Box product(Node& node, Box a, Box b);

}  // namespace shingle::onnx

// Matrix products of values.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// As MatMul: [..., m, k] times [..., k, n]; leading dims are broadcast. All products of two
// elements exist at once: m * n * k elements for each matrix, refused above the limits.
Box product(Node& node, Box a, Box b);

// The same where one of the two may be a constant of floats (linear.cpp); its leading dims are 1 or
// those of the other. REQUIRES: at least one is a Box; both have 2 dims or more.
Box matrix_product(Node& node, const Value& a, const Value& b);

}  // namespace shingle::onnx

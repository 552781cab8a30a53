// Maps read at places.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// The map [1, C, h, w] at the places of the grid [1, H, W, 2]: [1, C, H, W]. The grid may be a
// constant of floats. REQUIRES: these dims.
Box sampled(Node& node, const Box& map, const Value& grid, const GridSample& how);

// Arithmetic that computes places, of values and constants alike: Add, Sub, Mul, Max, Min and
// LessOrEqual.
Value computed(Node& node, std::string_view op, const Value& a, const Value& b);

Value number(Node& node, float value);  // a constant

// The elements of one dim that `indices` lists.
Value picked(Node& node, const Value& value, size_t dim, const std::vector<int64_t>& indices);

}  // namespace shingle::onnx

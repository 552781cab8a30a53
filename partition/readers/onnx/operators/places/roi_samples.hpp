// The samples of RoiAlign: a map read at places that lie in grids, one grid for each region. The
// grids stand below each other in what is read.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// In pixels of the map; a place's row and column are told apart.
struct RoiSamples {
  Value y, x;  // [count, rows, 1, 1] and [count, 1, columns, 1]
  int64_t count = 0, rows = 0, columns = 0;
};

// The map [1, C, h, w] at the places, [1, C, count * rows, columns]: the four pixels around a
// place, each times its weight, summed. 0 where a place is more than one pixel off the map.
Box interpolated(Node& node, const Box& map, const RoiSamples& samples);

// The same with the largest of the four products instead of their sum, as ONNX's mode "max" has it.
Box largest_part(Node& node, const Box& map, const RoiSamples& samples);

}  // namespace shingle::onnx

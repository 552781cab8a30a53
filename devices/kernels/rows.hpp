// Rows: how kernels see feature maps. A map is a list of row pointers, so that a whole canvas, a
// tile's view and a ring of line buffers look the same, and no map needs margins in memory:
//
//              columns.begin      columns.end
//   rows.begin   row[0] -> |###############|      every pixel holds the channels, side by side;
//                row[1] -> |###############|      `pixel` floats from one to its right neighbour
//                row[2] == nullptr                a row of padding
//   rows.end-1   row[3] -> |###############|
//
// Coordinates are those of the whole map, whatever part is stored. Elements outside the stored part
// (or in a null row) read as zero, which is a convolution's padding. Kernels read blocks that lie
// wholly inside directly from memory, and gather the few blocks at the border, zeros included, into
// scratch. That costs less than zero margins (a copy of every tile that comes without them) and
// less than an indirection pointer per tap and pixel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "partition/model/region.hpp"

namespace shingle::kernels {

inline constexpr std::size_t line_floats = 16;  // of a cache line

struct InputRows {
  const float* const* row = nullptr;  // row[i]: pixel columns.begin of map row rows.begin + i
  Span rows, columns;        // stored; REQUIRES: whatever is stored but not on the map is zero
  std::ptrdiff_t pixel = 0;  // floats; at least the channels
};

// The region to compute: all of rows x columns is written.
struct OutputRows {
  float* const* row = nullptr;
  Span rows, columns;
  std::ptrdiff_t pixel = 0;
};

}  // namespace shingle::kernels

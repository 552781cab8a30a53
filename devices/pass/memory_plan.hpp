// MemoryPlan: how a tile's pass uses its arena, to be printed and compared with bounds.
//
//   bytes at   size    rows        map      strips 0 .. 811
//         0   1.2 MB    9 of 304   conv1    |########................|
//   1230080   0.6 MB    6 of 152   conv2    |..###########...........|
//
// The caller owns the inputs and outputs of the pass; they are not included.
#pragma once

#include <string>
#include <vector>

#include "partition/plan/program.hpp"

namespace shingle {

struct TilePass;

struct MemoryPlan {
  struct Buffer {
    std::string map;
    int64_t offset = 0, bytes = 0;
    int32_t rows = 0, of_rows = 0;           // rows stored at once, rows of the map
    size_t first_strip = 0, last_strip = 0;  // both included
  };
  std::vector<Buffer> buffers;  // in the order in which they come to life
  size_t strips = 0;
  int64_t arena_bytes = 0;
  int64_t live_bytes = 0;  // the most in use at once; no layout of these buffers can be smaller
  int64_t layer_wise_bytes = 0;
};

MemoryPlan memory_plan(const Model& model, const TilePass& pass);

// For comparison: the most bytes of inner maps that exist at once if layers run one after the other
// and each map stays whole until its last reader has ended.
int64_t layer_wise_bytes(const Model& model, const TileProgram& program);

// A line for each buffer with a drawing of when it lives, the buffers of the fullest strip, and the
// totals. `width`: columns of the drawing, at least 1.
std::string draw(const MemoryPlan& plan, size_t width = 64);

}  // namespace shingle

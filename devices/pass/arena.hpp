// Where the buffers of a tile's pass lie in one arena: buffers whose lives do not overlap share
// bytes.
//
//   * largest buffer first (ties: the earlier request);
//   * each at the lowest offset where it fits between the buffers already placed that live at the
//     same time;
//   * while that needs more than lives at once: whoever sticks out furthest is placed first, some
//     rounds;
//   * while that needs more than lives at once: the same, beginning with the buffers in the order
//   in
//     which their lives end. The best layout is kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shingle {

struct ArenaRequest {
  int64_t bytes = 0;
  size_t first_step = 0, last_step = 0;  // lives in these and all between
};

struct ArenaLayout {
  std::vector<int64_t> offsets;  // by request; multiples of 64
  int64_t bytes = 0;
};

ArenaLayout lay_out(std::span<const ArenaRequest> requests);

// The most bytes that live in one step: no layout needs less.
int64_t live_bytes(std::span<const ArenaRequest> requests);

}  // namespace shingle

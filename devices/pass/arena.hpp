// The layout of a tile's pass in one arena: buffers that do not live at the same time share bytes.
//
//   * largest buffer first (ties: the earlier request);
//   * each at the lowest offset where it overlaps no placed buffer that lives at the same time;
//   * while the layout is larger than live_bytes(): for some rounds, place the buffer with the
//     highest end first;
//   * while it is still larger: the same, beginning with the buffers in the order in which their
//     lives end. The best layout is kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shingle {

struct ArenaRequest {
  int64_t bytes = 0;
  size_t first_step = 0, last_step = 0;  // it lives in these and all steps between
};

struct ArenaLayout {
  std::vector<int64_t> offsets;  // by request; multiples of 64
  int64_t bytes = 0;
};

ArenaLayout lay_out(std::span<const ArenaRequest> requests);

// The most bytes that live in one step. No layout can be smaller.
int64_t live_bytes(std::span<const ArenaRequest> requests);

}  // namespace shingle

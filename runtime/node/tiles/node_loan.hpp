// Loans: how a tile's slices are cut for the way to a thief and back, and when lending pays.
#pragma once

#include <vector>

#include "runtime/protocol/event.hpp"

namespace shingle {

struct Chunk {
  TensorId tensor;
  Region region;
  int64_t bytes = 0;
};

// All slices, each cut by chunks(): a lent piece's index counts along this list, on both sides.
std::vector<Chunk> lent_chunks(const LoadedPlan& plan, const std::vector<Slice>& slices);
int64_t total_bytes(const std::vector<Chunk>& chunks);
int64_t moved_bytes(const LoadedPlan& plan, const Tile& tile);  // windows and outputs

// Of so much work at that speed. At most a day: what all tiles of all frames take together stays a
// Duration.
Duration work_time(int64_t macs, uint32_t picoseconds_per_mac);

struct LoanEstimate {
  Duration wait_at_home{};     // until the victim itself would start the tile
  Duration compute_at_home{};  // zero: nobody has measured yet
  double slowness = 1.0;       // of the thief against the victim
  int64_t moved_bytes = 0;     // windows there, outputs back
  int64_t bytes_per_second = 1;
};

// There, computed, and back. Zero: nobody has measured yet.
Duration time_lent(const LoanEstimate& estimate);

// Does the loan save more time than it takes: the wires', which strips need as well, and the
// thief's, which has tiles of its own to come? Where nothing was measured yet it is tried: the
// attempt is what measures.
bool worth_lending(const LoanEstimate& estimate);

}  // namespace shingle

// Loans: how a tile's slices are cut for the way to a thief and back, and when lending pays.
#pragma once

#include <vector>

#include "runtime/protocol/event.hpp"

namespace shingle {

struct LentPart {
  TensorId tensor;
  Region region;
  int64_t bytes = 0;
};

// All slices, each cut by strip_regions(): a lent piece's index counts along this list, on both
// sides.
std::vector<LentPart> lent_parts(const LoadedPlan& plan, const std::vector<Slice>& slices);
int64_t total_bytes(const std::vector<LentPart>& parts);
int64_t moved_bytes(const LoadedPlan& plan, const Tile& tile);  // windows and outputs

// How long so much work takes at that speed. At most a day, so that the sum over all tiles of all
// frames fits into a Duration.
Duration work_time(int64_t macs, uint32_t picoseconds_per_mac);

struct LoanEstimate {
  Duration wait_at_home{};     // until the victim itself would start the tile
  Duration compute_at_home{};  // zero: nobody has measured yet
  double slowness = 1.0;       // of the thief against the victim
  int64_t moved_bytes = 0;     // windows there, outputs back
  int64_t bytes_per_second = 1;
};

// How long the loan takes: windows there, computing, outputs back. Zero: nobody has measured yet.
Duration time_lent(const LoanEstimate& estimate);

// Whether the loan saves more time than it costs. It costs time of the wires, which strips need as
// well, and of the thief, which will get tiles of its own. If nothing was measured yet the loan is
// worth it, because it gives the first measurement.
bool worth_lending(const LoanEstimate& estimate);

}  // namespace shingle

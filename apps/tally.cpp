#include "apps/tally.hpp"

#include <algorithm>
#include <numeric>

namespace shingle {

Tally::Tally(std::vector<NodeId> members)
    : members_(std::move(members)),
      tiles_(members_.size()),
      thefts_(members_.size()),
      macs_(members_.size()) {}

void Tally::tile_done(const LoadedPlan& plan, TileId id, NodeId computed_by) {
  const auto found = std::find(members_.begin(), members_.end(), computed_by);
  if (found == members_.end()) return;
  const size_t member = static_cast<size_t>(found - members_.begin());
  const Tile& done = tile(plan.plan, id);
  ++tiles_[member];
  macs_[member] += done.macs;
  if (done.home == computed_by) return;
  ++thefts_[member];
  for (const std::vector<Slice>* slices : {&done.inputs, &done.outputs})
    for (const Slice& slice : *slices)
      lent_bytes_ += wire_bytes(plan.plan, slice.tensor, slice.region);
}

uint64_t Tally::all_thefts() const {
  return std::accumulate(thefts_.begin(), thefts_.end(), uint64_t{0});
}

}  // namespace shingle

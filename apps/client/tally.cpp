#include "apps/client/tally.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/node/tiles/node_loan.hpp"

namespace shingle {

Tally::Tally(std::vector<NodeId> homes)
    : members_(std::move(homes)),
      tiles_(members_.size()),
      thefts_(members_.size()),
      macs_(members_.size()) {}

size_t Tally::place_of(NodeId node) {
  const auto found = std::lower_bound(members_.begin(), members_.end(), node);
  const std::ptrdiff_t place = found - members_.begin();
  if (found == members_.end() || *found != node) {
    members_.insert(found, node);
    tiles_.insert(tiles_.begin() + place, 0);
    thefts_.insert(thefts_.begin() + place, 0);
    macs_.insert(macs_.begin() + place, 0);
  }
  return static_cast<size_t>(place);
}

void Tally::tile_done(const LoadedPlan& plan, TileId id, NodeId computed_by) {
  const size_t member = place_of(computed_by);
  const Tile& done = tile(plan.plan, id);
  ++tiles_[member];
  macs_[member] += done.macs;
  if (done.home == computed_by) return;
  ++thefts_[member];
  lent_bytes_ += moved_bytes(plan, done);
}

uint64_t Tally::all_thefts() const {
  return std::accumulate(thefts_.begin(), thefts_.end(), uint64_t{0});
}

}  // namespace shingle

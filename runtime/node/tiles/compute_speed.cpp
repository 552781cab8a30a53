#include "runtime/node/tiles/compute_speed.hpp"

#include <algorithm>
#include <cassert>

#include "runtime/node/tiles/node_loan.hpp"

namespace shingle {

// Exponential means over about eight tiles: boards throttle, so old times must fade. A tile counts
// as at most eight times what was expected of it, so that one hang does not make the next hang look
// usual. Tiles of closed frames count as well: otherwise a node that was suspected at its first
// long tile would be suspected at each attempt.
void ComputeSpeed::measure(KnownPlan& plan, TileId tile, Duration compute_time) {
  const Duration usual = expected(plan, tile);
  if (usual > Duration::zero()) compute_time = std::min(compute_time, 8 * usual);
  Duration& mean = plan.measured[plan.block_of_tile[tile.value]];
  mean = mean == Duration::zero() ? compute_time : (mean * 7 + compute_time) / 8;
  const int64_t macs = plan.tiles[tile.value]->macs;
  if (macs <= 0) return;
  const double sample =
      1000.0 * static_cast<double>(compute_time.count()) / static_cast<double>(macs);
  const double speed =
      picoseconds_per_mac_ == 0 ? sample : (picoseconds_per_mac_ * 7.0 + sample) / 8.0;
  picoseconds_per_mac_ = static_cast<uint32_t>(std::clamp(speed, 1.0, 1e9));
}

Duration ComputeSpeed::measured(const KnownPlan& plan, TileId tile) {
  assert(tile.value < plan.tiles.size());
  return plan.measured[plan.block_of_tile[tile.value]];
}

Duration ComputeSpeed::by_work(const KnownPlan& plan, TileId tile) const {
  assert(tile.value < plan.tiles.size());
  return work_time(plan.tiles[tile.value]->macs, picoseconds_per_mac_);
}

// A block may have tiles without work, which only move elements, beside large ones. Their times
// say nothing about work.
Duration ComputeSpeed::expected(const KnownPlan& plan, TileId tile) const {
  assert(tile.value < plan.tiles.size());
  if (plan.tiles[tile.value]->macs > 0 && picoseconds_per_mac_ == 0) return Duration::zero();
  return std::max(measured(plan, tile), by_work(plan, tile));
}

}  // namespace shingle

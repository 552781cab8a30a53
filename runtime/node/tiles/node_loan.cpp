#include "runtime/node/tiles/node_loan.hpp"

#include <algorithm>

namespace shingle {

std::vector<LentPart> lent_parts(const LoadedPlan& plan, const std::vector<Slice>& slices) {
  std::vector<LentPart> all;
  for (const Slice& slice : slices) {
    const int64_t element_bytes = bytes_of(plan.types[slice.tensor.value]);
    for (const Region& region : strip_regions(slice.region, element_bytes))
      all.push_back({slice.tensor, region, region.elements() * element_bytes});
  }
  return all;
}

int64_t total_bytes(const std::vector<LentPart>& parts) {
  int64_t sum = 0;
  for (const LentPart& part : parts) sum += part.bytes;
  return sum;
}

int64_t moved_bytes(const LoadedPlan& plan, const Tile& tile) {
  int64_t sum = 0;
  for (const std::vector<Slice>* slices : {&tile.inputs, &tile.outputs})
    for (const Slice& slice : *slices) sum += wire_bytes(plan.plan, slice.tensor, slice.region);
  return sum;
}

Duration work_time(int64_t macs, uint32_t picoseconds_per_mac) {
  constexpr double longest_ns = 24 * 3600 * 1e9;
  const double work_ns =
      static_cast<double>(macs) * static_cast<double>(picoseconds_per_mac) / 1000.0;
  return Duration(static_cast<int64_t>(std::min(work_ns, longest_ns)));
}

Duration time_lent(const LoanEstimate& estimate) {
  if (estimate.compute_at_home <= Duration::zero()) return {};
  const double moving_ns = static_cast<double>(estimate.moved_bytes) * 1e9 /
                           static_cast<double>(estimate.bytes_per_second);
  const double computing_ns =
      estimate.slowness * static_cast<double>(estimate.compute_at_home.count());
  return Duration(static_cast<int64_t>(std::min(moving_ns + computing_ns, 1e17)));
}

bool worth_lending(const LoanEstimate& estimate) {
  if (estimate.compute_at_home <= Duration::zero()) return true;
  const Duration at_home = estimate.wait_at_home + estimate.compute_at_home;
  const Duration lent = time_lent(estimate);
  return at_home - lent > lent;
}

}  // namespace shingle

#include "partition/cluster/slowness.hpp"

#include <algorithm>

#include "partition/cluster/scaled_cost.hpp"

namespace shingle {
namespace {

// Far more frames than an owner has open; the limit keeps frames that are never reported as done
// from accumulating.
constexpr size_t most_open = 64;

}  // namespace

void SlownessWatch::tile_done(uint64_t frame, NodeId node, Duration predicted, Duration took) {
  if (predicted <= Duration::zero() || took <= Duration::zero()) return;
  Sum& sum = open_[frame][node];
  sum.predicted += predicted;
  sum.took += took;
  if (open_.size() > most_open) open_.erase(open_.begin());
}

void SlownessWatch::frame_done(uint64_t frame) {
  const auto done = open_.find(frame);
  if (done == open_.end()) return;
  for (const auto& [node, sum] : done->second) {
    std::deque<Sum>& seen = seen_[node];
    seen.push_front(sum);
    if (seen.size() > samples_kept) seen.pop_back();
  }
  open_.erase(done);
}

std::optional<SlownessWatch::Samples> SlownessWatch::samples(NodeId node) const {
  const auto seen = seen_.find(node);
  if (seen == seen_.end()) return std::nullopt;
  Samples samples;
  Duration predicted{};
  const auto says_something = [&] {
    return samples.size() == samples_kept ||
           (samples.size() >= fewest_samples && predicted >= enough);
  };
  for (const Sum& sum : seen->second) {
    if (says_something()) break;
    samples.push_back(in_nanoseconds(sum.took) / in_nanoseconds(sum.predicted));
    predicted += sum.predicted;
  }
  if (!says_something()) return std::nullopt;
  std::sort(samples.begin(), samples.end());
  return samples;
}

ClusterNode slowed(ClusterNode node, double slowness) {
  NodeProfile profile = profile_of(node);
  for (WorkCost& cost : profile.costs) cost = scaled(cost, slowness);
  node.gflops /= slowness;
  node.profile = profile;
  return node;
}

}  // namespace shingle

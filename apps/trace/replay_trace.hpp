// Runs what a trace recorded once more in virtual time, on the cluster that it was recorded on and
// on another one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/trace/recorded_trace.hpp"
#include "partition/cluster/cluster.hpp"
#include "sim/replay.hpp"

namespace shingle {

// What a trace says of its frames, besides times of tiles.
struct TracedFrames {
  std::vector<Plan> plans;
  std::vector<sim::ReplayedSource> sources;
  std::vector<sim::ReplayedFrame> frames;  // as recorded
};

// An error says what the trace lacks: captured frames, or the text of a plan (which stands in the
// trace of the frames' owner).
Result<TracedFrames> frames_of(const RecordedTrace& trace);

// The times of tiles in a trace, for nodes of a cluster that may be another one.
class TileTimes {
 public:
  // `was`: the cluster of the trace. All must outlive this.
  TileTimes(const RecordedTrace& trace, const TracedFrames& traced, const Model& model,
            const Cluster& was);
  // How long the tile takes on a node of `cluster`: its median in the trace, times what the
  // profiles of both nodes say of their difference. None: the trace has no such tile, or `was` not
  // the node that computed it.
  std::optional<Duration> on(const Cluster& cluster, NodeId node, const Compute& compute) const;

 private:
  using TileName = std::pair<PlanHash, TileId>;
  struct Measured {
    NodeId node;
    Duration median{};
  };
  std::optional<double> predicted_ns(const Cluster& cluster, NodeId node,
                                     const TileName& tile) const;

  const TracedFrames& traced_;
  const Model& model_;
  const Cluster& was_;
  std::map<TileName, std::vector<Measured>> measured_;
};

struct FrameFigures {
  size_t frames = 0, delivered = 0;
  double latency_p50_ms = 0.0, latency_p99_ms = 0.0;
  double frames_per_second = 0.0;  // between the first and the last delivery; 0: fewer than two
};
FrameFigures figures_of(const std::vector<sim::ReplayedFrame>& frames);

}  // namespace shingle

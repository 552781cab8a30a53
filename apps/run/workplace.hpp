// Workplace: where the frames of a run are computed: the user's cluster, nodes that announced
// themselves at a broker, or workers of our own.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "apps/client/local_workers.hpp"
#include "apps/client/node_wires.hpp"
#include "apps/members/membership.hpp"
#include "apps/run/run_options.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/stop_signals.hpp"

namespace shingle {

struct Workplace {
  ClusterFile cluster;
  NodeId owner;
  std::optional<LocalWorkers> workers;
  std::unique_ptr<Membership> membership{};  // none without a broker
  std::unique_ptr<NodeWires> wires{};        // if they had to be opened to plan
  std::vector<NodeId> absent{};              // members that no plan should count on

  int64_t memory_bytes() const {  // of this process
    for (const ClusterFileNode& node : cluster.nodes)
      if (node.id == owner) return node.memory_bytes;
    return 0;
  }
};

// With the caps that the user wants. Waits for nodes to announce themselves, where nothing else
// says which there are, and to say over their own connections what they can do; but not once the
// user wants the run to stop.
Result<Workplace> workplace_of(const RunOptions& options, StopSignals& signals);

// What a plan may count on.
Cluster computing_nodes(const RunOptions& options, const Workplace& place);

}  // namespace shingle

// Workplace: where frames are computed: the user's cluster, nodes that announced themselves at a
// broker, or workers of our own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "apps/client/local_workers.hpp"
#include "apps/client/node_wires.hpp"
#include "apps/client/patience.hpp"
#include "apps/members/broker.hpp"
#include "apps/members/membership.hpp"

namespace shingle {

struct WorkplaceOptions {
  // A cluster file. Empty: the nodes that announced themselves at the broker, or without a broker
  // local workers.
  std::string cluster;
  BrokerOptions broker;
  std::optional<uint32_t> id;  // this process; needed with a cluster or a broker
  Admission admission;
  LocalWorkersOptions workers{};
  Patience patience{};
  bool computes = false;        // this process, too
  int64_t memory_bytes = 0;     // a cap for each node; 0: that of the cluster file
  bool sets_up_process = true;  // see SessionOptions
  // Waits so long, or less if nobody wants the workplace any more: then it returns true.
  std::function<bool(std::chrono::milliseconds)> is_unwanted;
  std::function<void(const std::string& sentence)> note;  // for the user
  Log log;
};

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
// says which there are, and to say over their own connections what they can do; but not once it is
// unwanted. The calling thread lives as long as local workers are needed (child_process.hpp).
Result<Workplace> open_workplace(const WorkplaceOptions& options);

// What a plan may count on. `owner_computes`: this process, too.
Cluster computing_nodes(const Workplace& place, bool owner_computes);

}  // namespace shingle

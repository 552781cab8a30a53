// What a VirtualCluster is made of: machines, their network, what a run keeps, and what boards do.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "devices/executor/executor.hpp"
#include "devices/files/device_file.hpp"
#include "partition/cluster/node_profile.hpp"
#include "runtime/node/node.hpp"
#include "runtime/protocol/trace.hpp"
#include "sim/virtual_network.hpp"

namespace shingle::sim {

enum class Contents : uint8_t { shape, hash, full };

struct Machine {
  NodeConfig node;      // `members` and `life` are filled in by the cluster
  double gflops = 1.0;  // on the MACs that the plan says, if there is no profile
  std::optional<NodeProfile> profile{};
  int64_t bytes_per_second = 0;  // of its port; 0: the network's
  bool has_models = true;
  Duration clock_offset{};            // what its clock is ahead of the others'; not negative
  std::optional<DeviceSpec> board{};  // then it says what tiles take beyond the profile
  bool fan = false, radio = false;    // of the board
  int32_t cores = 1;                  // of the board, that a tile keeps busy
  Duration handover{};  // before a tile, on average: from the node to the thread that computes
  int64_t resident_bytes = 0;  // of the process, besides canvases
};

// Links that are alike, but for rates that machines have of their own: to one switch, or one medium
// for all.
struct EqualLinks {
  Duration latency = std::chrono::microseconds(200);
  int64_t bytes_per_second = 12'500'000;  // of a port; of the medium
  bool one_medium = false;
  double loss = 0.0;  // of a segment
};

struct ClusterOptions {
  std::vector<Machine> machines;  // ascending ids
  EqualLinks network;
  // Instead of equal links: the first hosts are the machines, in their order.
  std::optional<NetworkTopology> topology{};
  TcpOptions tcp{};
  // Instead of the fluid model. REQUIRES: it was told of this network, and its time is 0.
  std::optional<PipedNetwork> packets{};
  // Messages come so much later than the network delivers them: a relay holds them that ends the
  // connections on both sides, so TCP sees short round trips.
  Duration relay_delay{};
  // The beats that a node sends to all others in one tick lie in their receivers' mailboxes. They
  // count as heard when they would come as messages. For large clusters.
  bool ticks_are_events = false;
  Contents contents = Contents::hash;
  // `full` runs: one per machine and one for the whole run that results are compared with.
  std::function<std::unique_ptr<Executor>()> make_executor;
  // What a tile takes, without what ails its node; none: as the machine's profile says.
  std::function<std::optional<Duration>(NodeId, const Compute&)> compute_time{};
  // Of each plan, one after the other; tiles that come meanwhile begin behind it.
  Duration plan_load_time = std::chrono::milliseconds(1);
  uint64_t seed = 1;
  bool keep_trace = false;
  // Gets every event, also the captured frames and the plans, which are neither kept nor hashed.
  std::function<void(const TraceEvent&)> on_trace{};
  std::function<void(NodeId, const Report&)> on_report{};
  std::function<void(uint64_t flow)> on_flow{};  // all its bytes have arrived
};

// What a machine's board (sim/device) has come to.
struct BoardState {
  double joules = 0.0, integral = 0.0;  // integral: of its power, added up by the cluster
  double celsius = 0.0, clock_ghz = 0.0;
  Duration throttled{};
};

// By its board, because it held more memory than there is.
struct KilledNode {
  Time at{};
  NodeId node;
};

}  // namespace shingle::sim

// Cluster: the machines and the network that a plan is made for, as plain values.
//
//   switched                                    one medium (Wi-Fi, a hub)
//   node --[own port, both ways]-- switch       node --+--+--+-- node     shared by whoever sends
//   node --[own port, both ways]--   |                 |  |
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "partition/base/ids.hpp"
#include "partition/base/time.hpp"
#include "partition/cluster/footprint.hpp"
#include "partition/cluster/node_profile.hpp"
#include "partition/plan/plan.hpp"

namespace shingle {

struct ClusterNode {
  NodeId id;
  double gflops = 4.0;                   // effective, on convolutions
  double link_mbps = 1000.0;             // goodput of the node's own port, in each direction
  int64_t memory_bytes = 0;              // 0: no cap
  double link_latency_us = 200.0;        // of a message from its port to another
  std::optional<NodeProfile> profile{};  // measured; if there is none, derived from `gflops`
};

struct Cluster {
  std::vector<ClusterNode> nodes;  // those that compute, in ascending order of ids
  std::optional<double>
      medium_mbps{};  // if set, all nodes share one half-duplex medium of this goodput
  // Memory of every node's program. None: weights as in the model, each map of a pass as a whole,
  // and nothing else.
  std::optional<Footprint> footprint{};
  WeightPlaces weights =
      WeightPlaces::everywhere;  // for plans made for this cluster; memory caps require at_home
};

// The measured profile, or one derived from `gflops`.
NodeProfile profile_of(const ClusterNode& node);

// How many programs take part: the nodes, and an owner that is none of them (as in Goal).
size_t member_count(const Cluster& cluster, std::optional<NodeId> owner);

// What a plan is optimised for.
struct Goal {
  enum class Kind : uint8_t {
    latency,     // of one frame alone
    throughput,  // frames per second with `open_frames` in progress
    energy,      // of all nodes for one frame, idle nodes included
    memory,      // of the node that uses most, with `open_frames` in progress
  };
  Kind kind = Kind::latency;
  // The node that supplies frames and receives results. None, or a node that is not in the cluster:
  // a machine beside it that computes nothing and whose port is as fast as the fastest one.
  std::optional<NodeId> owner{};
  int32_t open_frames = 2;  // of a stream at once; memory caps must hold for this number
  Duration deadline{};      // for a frame; 0: none. Missed only if no plan found meets it
  // Which layers use Winograd, if at least one node gains by it.
  WinogradUse winograd = WinogradUse::where_faster;
};

// The layers that a plan may compute with Winograd: those of the goal if at least one node gains by
// it, otherwise none.
WinogradUse worthwhile_winograd(const Cluster& cluster, const Goal& goal);

const char* name_of(Goal::Kind kind);  // "latency", ...
std::optional<Goal::Kind> goal_named(std::string_view name);

}  // namespace shingle

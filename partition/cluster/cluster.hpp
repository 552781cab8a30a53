// Cluster: the machines and the wires that a plan is made for, as plain values.
//
//   switched                                    one medium (Wi-Fi, a hub)
//   node --[own port, both ways]-- switch       node --+--+--+-- node     one message at a time,
//   node --[own port, both ways]--   |                 |  |               whoever sends it
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "partition/base/ids.hpp"
#include "partition/cluster/footprint.hpp"
#include "partition/cluster/node_profile.hpp"
#include "partition/plan/plan.hpp"

namespace shingle {

struct ClusterNode {
  NodeId id;
  double gflops = 4.0;                   // effective, on convolutions
  double link_mbps = 1000.0;             // goodput of its own port, each way
  int64_t memory_bytes = 0;              // 0: no cap
  double link_latency_us = 200.0;        // of a message from its port to another
  std::optional<NodeProfile> profile{};  // measured; without one, what `gflops` says
};

// How a port serves messages to several peers.
enum class PortSharing : uint8_t {
  fair,      // in turn, and a message enters the far port while it still leaves this one (TCP)
  in_order,  // in the order of sending, each stored whole at the switch before it goes on
};

struct Cluster {
  std::vector<ClusterNode> nodes;       // those that compute, ascending ids
  std::optional<double> medium_mbps{};  // all share one half-duplex medium of this goodput
  PortSharing sharing = PortSharing::fair;
  // Of every node's program. None: weights as the model has them, each map of a pass whole, and
  // nothing else.
  std::optional<Footprint> footprint{};
  WeightPlaces weights = WeightPlaces::everywhere;  // of plans made for it; caps want them at home
};

// The measured profile, or the one that follows from `gflops`.
NodeProfile profile_of(const ClusterNode& node);

// What is asked of a plan.
struct Goal {
  enum class Kind : uint8_t {
    latency,     // of one frame alone
    throughput,  // frames a second with `open_frames` under way
    energy,      // of all nodes for one frame, idle ones included
    memory,      // of the fullest node, with `open_frames` under way
  };
  Kind kind = Kind::latency;
  // Where frames come from and results go to. None, or a node that is not in the cluster: a machine
  // beside it that computes nothing and whose port is as fast as the fastest.
  std::optional<NodeId> owner{};
  int32_t open_frames = 2;  // of a stream, at once; memory caps hold for so many
  int64_t deadline_ns = 0;  // for a frame; 0: none. Missed only if no plan found meets it
  // Which layers are computed by Winograd, if some node gains by it at all.
  WinogradUse winograd = WinogradUse::where_faster;
};

// Which layers a plan may compute by Winograd so that some node gains by it; else never.
WinogradUse worthwhile_winograd(const Cluster& cluster, const Goal& goal);

const char* name_of(Goal::Kind kind);  // "latency", ...
std::optional<Goal::Kind> goal_named(std::string_view name);

}  // namespace shingle

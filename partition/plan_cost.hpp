// The planner's idea of time, in one place. A block lasts as long as its busiest node; a node's
// compute and its port overlap as far as it has several tiles to take turns with. Deliberately
// simple: measured profiles and a pipeline across blocks belong to a later planner.
#pragma once

#include "partition/planner.hpp"
#include "partition/routes.hpp"

namespace shingle {

// Beside its arithmetic, a step costs this much (set-up, a call, cold caches) ...
inline constexpr double step_ns = 20'000.0;
// ... and a block this much (a message's way through two network stacks).
inline constexpr double block_ns = 200'000.0;

// What one node does for one block.
struct NodeWork {
  double compute_ns = 0.0;
  int64_t bytes_in = 0, bytes_out = 0;
  int32_t tiles = 0;
};

double compute_ns(const ClusterNode& node, int64_t macs, size_t steps);
double port_ns(const ClusterNode& node, const NodeWork& work);  // full duplex: the longer way
double elapsed_ns(const ClusterNode& node, const NodeWork& work);

// From the plan's real tiles and strips; `plan.predicted` is not read.
Prediction predict(const Model& model, const Cluster& cluster, const Plan& plan);

// Bytes that a node holds for one frame: the weights, its canvases, and its largest tile's pass.
int64_t node_bytes(const Model& model, const Plan& plan, const Routes& routes, NodeId node);

}  // namespace shingle

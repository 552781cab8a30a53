// Streams of frames from a seed: which owner captures frames of which model, when, and with which
// plans.
#pragma once

#include "partition/plan/rotation.hpp"
#include "sim/cluster.hpp"
#include "tests/networks/drawn_plans.hpp"

namespace shingle::swarm {

// One owner's frames of one model. A later rotation replaces the one before it, as after a replan.
struct Stream {
  NodeId owner;
  std::vector<Rotation> rotations;
  struct Capture {
    Time at{};
    size_t rotation = 0;
  };
  std::vector<Capture> captures;
};

enum class PlanDraw : uint8_t { grid, layouts, rotation, planner };

struct Drawing {
  const sim::ClusterOptions& cluster;
  sim::Random& random;
  bool large = false;
};

// A stream with one plan, which a grid cuts.
Stream grid_stream(const Model& model, NodeId owner, const Drawing& drawing);
// Replaces the stream's grids by plans as the planner makes them. The frames stay, so that each
// seed keeps the frames it has always had.
void take_planners_plans(Stream& stream, const Model& model, PlanDraw draw, const Drawing& drawing);

// Schedules all proposals and captures.
void play(sim::VirtualCluster& cluster, const Stream& stream);
// Proposes the last rotation again in the calm, for an owner that was started again.
void propose_again(sim::VirtualCluster& cluster, const Stream& stream);

// The time of the largest tile on the slowest machine.
Duration longest_tile(const Stream& stream, const sim::ClusterOptions& cluster);

}  // namespace shingle::swarm

// Streams of frames, drawn from a seed: who captures frames of which model when, and by which
// plans.
#pragma once

#include "partition/plan/rotation.hpp"
#include "sim/cluster.hpp"
#include "tests/networks/drawn_plans.hpp"

namespace shingle::swarm {

// One owner's frames of one model. Later rotations take the place of earlier ones, as when a plan
// was made anew.
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

// As seeds have always drawn them: one plan, cut by a grid.
Stream grid_stream(const Model& model, NodeId owner, const Drawing& drawing);
// Replaces the stream's grids by plans as the planner makes them; its frames stay.
void take_planners_plans(Stream& stream, const Model& model, PlanDraw draw, const Drawing& drawing);

// Proposes and captures. Then, in the calm, for an owner that has been started anew meanwhile.
void play(sim::VirtualCluster& cluster, const Stream& stream);
void propose_again(sim::VirtualCluster& cluster, const Stream& stream);

Duration longest_tile(const Stream& stream, const sim::ClusterOptions& cluster);

}  // namespace shingle::swarm

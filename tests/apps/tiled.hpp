// Tiles against the whole: a plan carried out by the real nodes on a virtual cluster whose machines
// really compute, what they deliver compared with one executor's pass over whole maps.
#pragma once

#include <optional>

#include "devices/native/native_executor.hpp"
#include "partition/search/planner.hpp"
#include "sim/cluster.hpp"

namespace shingle {

// Bytes in which one frame differs; none: it was not delivered, or a node broke its rules.
inline std::optional<int64_t> tiled_differing_bytes(const Model& model, const Plan& plan,
                                                    uint32_t nodes) {
  sim::ClusterOptions options;
  options.contents = sim::Contents::full;
  options.make_executor = [] { return std::make_unique<NativeExecutor>(); };
  for (uint32_t i = 0; i < nodes; ++i) {
    sim::Machine machine;
    machine.node.id = NodeId{i};
    machine.node.arithmetic_class = "virtual";
    options.machines.push_back(machine);
  }
  sim::VirtualCluster cluster(options, model);
  cluster.propose(Time{} + std::chrono::milliseconds(1), NodeId{0}, plan);
  cluster.capture(Time{} + std::chrono::milliseconds(10), NodeId{0}, hash_of(plan),
                  std::chrono::hours(1));
  const bool rested = cluster.run(Time{} + std::chrono::hours(1));
  if (!rested || !cluster.breaches().empty() || cluster.fates().delivered != 1) return std::nullopt;
  return cluster.differing_bytes();
}

}  // namespace shingle

// Small clusters for tests: equal machines, and times in milliseconds.
#pragma once

#include "sim/cluster.hpp"

namespace shingle::sim {

inline ClusterOptions equal_machines(uint32_t count, double gflops = 1.0) {
  ClusterOptions options;
  for (uint32_t i = 0; i < count; ++i) {
    Machine machine;
    machine.node.id = NodeId{i};
    machine.node.arithmetic_class = "virtual";
    machine.gflops = gflops;
    options.machines.push_back(machine);
  }
  return options;
}

inline Time at_ms(int64_t milliseconds) { return Time{} + std::chrono::milliseconds(milliseconds); }

}  // namespace shingle::sim

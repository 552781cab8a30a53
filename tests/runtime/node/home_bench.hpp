// A home on the bench: node 1 of a plan for nodes 1 and 2, whose frames node 0 owns, which computes
// nothing.
#pragma once

#include "node_bench.hpp"

namespace shingle {

struct HomeBench {
  Model model = bench_model();
  LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench;

  // How long peers may be silent, and in what time all weights are looked at.
  explicit HomeBench(Duration silence, Duration looked_through = std::chrono::minutes(1))
      : bench(patient(bench_config(1, 3), silence, looked_through)) {
    bench.join(0, 0);
    bench.join(2);
    offer();
    bench.load(plan);
  }
  static NodeConfig patient(NodeConfig config, Duration silence, Duration looked_through) {
    config.limits.silence_allowed = silence;
    config.limits.weights_looked_through = looked_through;
    return config;
  }
  void offer() { bench.hear(0, PlanOffer{plan.hash, model.hash, print(plan.plan)}); }

  // Gives the pieces of a frame until its first tile begins here. Returns the order to compute it;
  // none: nothing begins.
  std::optional<Compute> begin(uint64_t frame) {
    const FrameKey key{NodeId{0}, 1, frame};
    bench.hear(0, FrameOpen{key, plan.hash, std::chrono::seconds(1)});
    for (uint32_t id = 0; id < plan.routes.strips.size(); ++id) {
      const Strip& strip = plan.routes.strips[id];
      if (strip.producer || strip.destination != NodeId{1}) continue;
      bench.hear(0, Piece{key, prefix64(plan.hash), Piece::Role::promised, {}, 0, id}, strip.bytes);
      if (const auto orders = bench.all<Compute>(); !orders.empty()) return orders.front();
    }
    return {};
  }
};

}  // namespace shingle

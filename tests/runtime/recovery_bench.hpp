// An owner whose homes are lost, fail or hang, on the bench.
#pragma once

#include "node_bench.hpp"
#include "partition/stand_in.hpp"

namespace shingle {

// Node 0 owns and computes nothing; nodes 1 and 2 are homes; node 3 is a spare.
struct RecoveryBench {
  Model model = bench_model();
  LoadedPlan wanted = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench;

  explicit RecoveryBench(NodeLimits limits = {}, const std::string& class_of_spare = "")
      : bench(config(limits)) {
    for (const uint32_t peer : {1U, 2U}) bench.join(peer);
    bench.join(3, 1, class_of_spare);
    bench.give(PlanProposed{wanted.hash, model.hash, print(wanted.plan)});
    bench.load(wanted);
    for (const uint32_t peer : {1U, 2U, 3U}) say_ready(peer, wanted);
    bench.give(FrameCaptured{1, wanted.hash, std::chrono::seconds(1)});
  }
  static NodeConfig config(const NodeLimits& limits) {
    NodeConfig config = bench_config(0, 4);
    config.limits = limits;
    config.limits.compute_slots = 0;
    return config;
  }
  FrameKey key(uint32_t attempt, uint64_t frame = 1) const {
    return {NodeId{0}, 1, frame, attempt};
  }
  LoadedPlan without(uint32_t lost, std::vector<NodeId> heirs) const {
    return trusted_plan(model, stand_in(wanted.plan, {{NodeId{lost}, std::move(heirs)}}));
  }
  void say_ready(uint32_t peer, const LoadedPlan& plan) {
    bench.hear(peer, PlanReady{plan.hash, true, {}});
  }
  void decline(uint32_t peer, const LoadedPlan& plan) {
    bench.hear(peer, PlanReady{plan.hash, false, "it may use 16 MiB and the plan asks for 18 MiB"});
  }
  // All that homes owe the owner of a frame.
  void finish(const LoadedPlan& plan, const FrameKey& key) {
    for (const StripId id : plan.routes.to_owner) {
      const Strip& strip = plan.routes.strips[id.value];
      bench.hear(tile(plan.plan, *strip.producer).home.value,
                 Piece{key, prefix64(plan.hash), Piece::Role::promised, {}, 0, id.value},
                 strip.bytes);
    }
  }
  void lose(uint32_t peer) { bench.give(PeerLost{NodeId{peer}, "its connection closed"}); }
  std::vector<FrameKey> opened(uint32_t peer) {
    std::vector<FrameKey> keys;
    for (const FrameOpen& open : bench.said<FrameOpen>(peer)) keys.push_back(open.key);
    return keys;
  }
  // Tenths of a second in which these peers are heard, until something is so. Was it?
  template <class Until>
  bool pass(int tenths, const std::vector<uint32_t>& heard, Until until) {
    for (int i = 0; i < tenths; ++i) {
      bench.wait(std::chrono::milliseconds(100));
      for (const uint32_t peer : heard) bench.hear(peer, Beat{});
      bench.give(Woken{});
      if (until()) return true;
    }
    return false;
  }
  size_t count(Report::Kind kind) const { return bench.reports(kind).size(); }
};

}  // namespace shingle

// An owner whose homes are lost, fail or hang, on the bench.
#pragma once

#include <algorithm>

#include "edges_bench.hpp"
#include "partition/plan/stand_in.hpp"

namespace shingle {

// Node 0 owns frames and computes nothing. Nodes 1 and 2 are homes of the wanted plan, node 3 is a
// spare. No node has said that it is ready.
struct Owner {
  Model model;
  LoadedPlan wanted = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench;

  explicit Owner(NodeLimits limits = {}, int32_t side = 16, const std::string& class_of_spare = "")
      : model(bench_model(side)), bench(config(limits)) {
    for (const uint32_t peer : {1U, 2U}) bench.join(peer);
    bench.join(3, 1, class_of_spare);
    propose();
    bench.load(wanted);
  }
  static NodeConfig config(NodeLimits limits, uint32_t members = 4) {
    NodeConfig config = bench_config(0, members);
    limits.compute_slots = 0;
    config.limits = limits;
    return config;
  }
  void all_ready() {
    for (const uint32_t peer : {1U, 2U, 3U}) say_ready(peer, wanted);
  }
  void propose() { bench.give(PlanProposed{wanted.hash, model.hash, print(wanted.plan)}); }
  void capture(uint64_t frame = 1) {
    bench.give(FrameCaptured{frame, wanted.hash, std::chrono::seconds(1)});
  }
  void say_ready(uint32_t peer, const LoadedPlan& plan) {
    bench.hear(peer, PlanReady{plan.hash, true, {}});
  }
  void decline(uint32_t peer, const LoadedPlan& plan) {
    bench.hear(peer, PlanReady{plan.hash, false, "it may use 16 MiB and the plan asks for 18 MiB"});
  }
  LoadedPlan stand_in(const std::vector<Inheritance>& losses) const {
    return trusted_plan(model, shingle::stand_in(wanted.plan, losses));
  }
  bool offered(uint32_t peer, const LoadedPlan& plan) const {
    const auto offers = bench.said<PlanOffer>(peer);
    return std::any_of(offers.begin(), offers.end(),
                       [&](const PlanOffer& offer) { return offer.plan == plan.hash; });
  }
  void lose(uint32_t peer) { bench.give(PeerLost{NodeId{peer}, "its connection closed"}); }
  // Whether it becomes so within `most` tenths of a second: tenths().
  template <class Until>
  bool pass(int most, const std::vector<uint32_t>& heard, Until until) {
    return tenths(bench, most, heard, until) <= most;
  }
  size_t count(Report::Kind kind) const { return bench.reports(kind).size(); }
};

// All are ready, and frame 1 is opening.
struct RecoveryBench : Owner {
  explicit RecoveryBench(NodeLimits limits = {}, const std::string& class_of_spare = "")
      : Owner(limits, 16, class_of_spare) {
    all_ready();
    capture();
  }
  FrameKey key(uint32_t attempt, uint64_t frame = 1) const {
    return {NodeId{0}, 1, frame, attempt};
  }
  LoadedPlan without(uint32_t lost, std::vector<NodeId> heirs) const {
    return stand_in({{NodeId{lost}, std::move(heirs)}});
  }
  // Sends all outputs of a frame to its owner.
  void finish(const LoadedPlan& plan, const FrameKey& key) {
    for (const StripId id : plan.routes.to_owner) {
      const Strip& strip = plan.routes.strips[id.value];
      bench.hear(tile(plan.plan, *strip.producer).home.value,
                 Piece{key, prefix64(plan.hash), Piece::Role::promised, {}, 0, id.value},
                 strip.bytes);
    }
  }
  std::vector<FrameKey> opened(uint32_t peer) {
    std::vector<FrameKey> keys;
    for (const FrameOpen& open : bench.said<FrameOpen>(peer)) keys.push_back(open.key);
    return keys;
  }
};

}  // namespace shingle

// An owner on the bench that has tiles audited.
#pragma once

#include <algorithm>

#include "node_bench.hpp"

namespace shingle {

// Node 0 owns frames whose tiles are all at node 1 and all audited.
struct OwnerOfAudits {
  Model model = bench_model();
  LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}, 1));
  NodeBench bench;

  explicit OwnerOfAudits(double share = 1.0, uint64_t seed = 0, uint32_t compute_slots = 0,
                         Duration first_tile_allowed = NodeLimits{}.first_tile_allowed)
      : bench(config(share, seed, compute_slots, first_tile_allowed)) {
    for (const uint32_t peer : {1U, 2U, 3U, 4U}) bench.join(peer);
    bench.give(PlanProposed{plan.hash, model.hash, "text"});
    bench.load(plan);
    for (const uint32_t peer : {1U, 2U, 3U, 4U}) bench.hear(peer, PlanReady{plan.hash, true, {}});
    bench.give(FrameCaptured{1, plan.hash, std::chrono::seconds(1)});
  }
  static NodeConfig config(double share, uint64_t seed, uint32_t compute_slots,
                           Duration first_tile_allowed) {
    NodeConfig config = bench_config(0, 5);
    config.seed = seed;
    config.limits.compute_slots = compute_slots;
    config.limits.audit_share = share;
    config.limits.first_tile_allowed = first_tile_allowed;
    return config;
  }
  // Grants the attempt that opens now. Returns the auditors of tile 0, in order.
  std::vector<uint32_t> open() {
    const std::vector<FrameOpen> opened = bench.said<FrameOpen>(1);
    REQUIRE(opened.size() == 1);
    key = opened[0].key;
    std::vector<uint32_t> auditors;
    for (const TileAudit& audit : opened[0].audits)
      if (audit.tile == TileId{0}) auditors.push_back(audit.auditor.value);
    bench.hear(1, Grant{key});
    return auditors;
  }
  uint32_t third_beside(const std::vector<uint32_t>& auditors) const {
    uint32_t node = 2;
    while (std::find(auditors.begin(), auditors.end(), node) != auditors.end()) ++node;
    return node;
  }
  void done(uint32_t by, TileContent content = {}, uint32_t attempt = 0) {
    bench.hear(1, Done{key, TileId{0}, NodeId{by}, attempt, std::chrono::milliseconds(1), content});
  }
  void result(uint32_t from, std::optional<TileContent> content, uint32_t attempt = 0) {
    bench.hear(from, AuditResult{key, plan.hash, TileId{0}, attempt, content});
  }
  // Tile 0 was lent, and its thief got other windows than the first auditor, so the frame begins
  // again. Returns the thief.
  uint32_t begin_again_over_windows() {
    const std::vector<uint32_t> auditors = open();
    const uint32_t thief = third_beside(auditors);
    done(thief);
    result(thief, TileContent{2, 12});
    result(auditors[0], TileContent{1, 10});
    REQUIRE(begun_again());
    return thief;
  }
  std::vector<NodeId> blamed() const {
    std::vector<NodeId> nodes;
    for (const Report& report : bench.reports(Report::Kind::node_distrusted))
      nodes.push_back(report.node);
    return nodes;
  }
  void finish() {
    for (const StripId id : plan.routes.to_owner)
      bench.hear(1, Piece{key, prefix64(plan.hash), Piece::Role::promised, {}, 0, id.value},
                 plan.routes.strips[id.value].bytes);
  }
  bool begun_again() const { return !bench.reports(Report::Kind::frame_reissued).empty(); }

  FrameKey key;
};

inline constexpr TileContent right{1, 10}, wrong{1, 11}, other_windows{2, 12};

}  // namespace shingle

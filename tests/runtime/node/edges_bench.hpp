// Helpers of tests of edge cases: the last moment of a limit, the second copy of a message, a
// message that comes too late.
#pragma once

#include "node_bench.hpp"

namespace shingle {

inline NodeConfig config_of(uint32_t id, uint32_t members, const NodeLimits& limits) {
  NodeConfig config = bench_config(id, members);
  config.limits = limits;
  return config;
}

// Waits until the condition holds, for at most so many tenths of a second, in each of which these
// peers are heard. Returns how many passed.
template <class Until>
int tenths(NodeBench& bench, int most, const std::vector<uint32_t>& heard, Until until) {
  for (int count = 1; count <= most; ++count) {
    bench.wait(std::chrono::milliseconds(100));
    for (const uint32_t peer : heard) bench.hear(peer, Beat{});
    bench.give(Woken{});
    if (until()) return count;
  }
  return most + 1;
}

inline void begin_frame(NodeBench& bench, const LoadedPlan& plan, const FrameKey& key,
                        std::vector<TileAudit> audits = {}) {
  bench.hear(0, FrameOpen{key, plan.hash, std::chrono::seconds(1), std::move(audits)});
  for (const StripId id : plan.routes.from_frame)
    if (plan.routes.strips[id.value].destination == bench.id())
      bench.hear(0, Piece{key, prefix64(plan.hash), Piece::Role::promised, {}, 0, id.value},
                 plan.routes.strips[id.value].bytes);
}

}  // namespace shingle

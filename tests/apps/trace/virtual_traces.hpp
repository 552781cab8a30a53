// Traces of virtual clusters for tests: four boards compute a dozen frames, with something hidden.
#pragma once

#include <map>
#include <sstream>

#include "apps/trace/recorded_trace.hpp"
#include "partition/search/planner.hpp"
#include "sim/replay.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {

struct VirtualRun {
  size_t frames = 12;
  double jitter = 0.0;  // tiles take up to so much longer, as a share
  uint64_t seed = 1;    // of the jitter
  NodeId slow_node{};
  double slowness = 1.0;
};

// Model, cluster and plan of all virtual runs.
struct VirtualSite {
  Model model = networks::make("yolov2_front", 128).value();
  Cluster cluster;
  Plan plan;

  VirtualSite() {
    for (uint32_t i = 0; i < 4; ++i)
      cluster.nodes.push_back({.id = NodeId{i}, .gflops = 4.0, .link_mbps = 50.0});
    Goal goal;
    goal.owner = NodeId{0};
    plan = make_plan(model, cluster, goal).value();
  }
  double tile_ns(NodeId node, TileId tile_id) const {
    const FusedBlock& block = plan.blocks[block_of(plan, tile_id)];
    const TileProgram program = tile_program(model, block, tile(plan, tile_id).outputs);
    return work_of(profile_of(cluster.nodes[node.value]), model, program).compute_ns;
  }
};

inline const VirtualSite& virtual_site() {
  static const VirtualSite site;
  return site;
}

// Two frames at a time.
inline std::vector<TraceEvent> virtual_events(const VirtualRun& run) {
  const VirtualSite& site = virtual_site();
  networks::Random random(run.seed);
  std::vector<TraceEvent> events;
  sim::ReplayScript script{
      .plans = {site.plan},
      .sources = {{.owner = NodeId{0}, .captures = {}, .open_frames = 2, .refill = Duration(0)}}};
  script.sources[0].captures.assign(run.frames, {Duration(0), hash_of(site.plan)});
  script.compute_time = [&](NodeId node, const Compute& compute) -> std::optional<Duration> {
    double nanoseconds = site.tile_ns(node, compute.tile);
    nanoseconds *= 1.0 + run.jitter * static_cast<double>(random.uniform(0.0F, 1.0F));
    if (node == run.slow_node) nanoseconds *= run.slowness;
    return Duration(static_cast<int64_t>(nanoseconds));
  };
  script.on_trace = [&](const TraceEvent& event) { events.push_back(event); };
  const auto frames = sim::replay(site.model, site.cluster, script);
  if (!frames || frames->size() != run.frames) events.clear();  // the tests that follow fail
  return events;
}

inline RecordedTrace recorded(const std::string& text) {
  std::istringstream in(text);
  return read_trace(in, "test.json").value();
}

inline std::string virtual_text(const VirtualRun& run) {
  return print_trace({.source = TraceHeader::Source::simulation,
                      .node = {},
                      .program = "test",
                      .model = {},
                      .cluster = {}},
                     virtual_events(run));
}

inline RecordedTrace virtual_trace(const VirtualRun& run) { return recorded(virtual_text(run)); }

// What a wire does to messages from one node to another, which arrive in their order nevertheless.
struct WireChange {
  NodeId from, to;
  Duration delay{};
  double mbps = 0.0;  // 0: unlimited
  double loss = 0.0;  // of messages, which come again 200 ms later
  uint64_t seed = 1;
};

inline void change_wire(RecordedTrace& trace, const WireChange& wire) {
  networks::Random random(wire.seed);
  Time last = Time::min();
  for (RecordedEvent& event : trace.events) {
    if (event.kind != RecordedEvent::Kind::received || event.peer != wire.from ||
        event.node != wire.to)
      continue;
    event.at += wire.delay;
    if (wire.loss > 0.0 && random.chance(wire.loss)) event.at += std::chrono::milliseconds(200);
    if (wire.mbps > 0.0 && event.bytes > 0)
      event.at = std::max(event.at, last) +
                 Duration(static_cast<int64_t>(static_cast<double>(event.bytes) * 8e3 / wire.mbps));
    last = event.at = std::max(event.at, last);
  }
}

}  // namespace shingle

// How fast virtual time passes: `realtime_64`, `realtime_256`, `realtime_1000` of `tools/bench
// sim`.
//
// N nodes of 8 GFLOP/s on ports of 94 Mb/s of payload, one camera for each eight of them with 1
// frame/s of YOLOv3-tiny at 416 for its eight nodes. Beats and stealing on, invariants checked
// after each step, contents as shapes, one thread. The clock runs for 10 virtual seconds after all
// have joined.
//
// The beats of a node's tick lie in mailboxes; tests/sim/cluster_ticks_test.cpp compares 64 nodes
// with single beats, which --single-beats brings back.
//
//   bench-sim-speed [--json] [--single-beats] [--nodes=64,256,1000]
#include <cstring>
#include <sstream>

#include "bench/measure.hpp"
#include "devices/budget/memory_cap.hpp"
#include "partition/search/rotation_search.hpp"
#include "sim/rehearsal.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::bench {
namespace {

constexpr uint32_t group = 8;
constexpr double node_gflops = 8.0, link_mbps = 94.0;
constexpr Duration joining = std::chrono::seconds(1), measured = std::chrono::seconds(10);
constexpr auto frame_patience = std::chrono::minutes(5);
constexpr double least_delivered = 0.95;
// A run that takes longer is ended; its speed is that of what it did.
constexpr Duration patience = std::chrono::minutes(2), slice = std::chrono::milliseconds(50);

struct Load {
  Model model;
  Plan plan;  // for nodes 0 to 7
};

Cluster nodes_from(uint32_t first, uint32_t count) {
  Cluster cluster;
  for (uint32_t i = first; i < first + count; ++i)
    cluster.nodes.push_back({.id = NodeId{i},
                             .gflops = node_gflops,
                             .link_mbps = link_mbps,
                             .profile = profile_of(node_gflops)});
  return cluster;
}

Load make_load() {
  Load load{.model = must(networks::make("yolov3_tiny", 416)), .plan = {}};
  take_image(load.model, {1 / 255.0F, 1 / 255.0F, 1 / 255.0F}, {0.0F, 0.0F, 0.0F});
  const FoundRotation found = must(find_rotation(
      load.model, nodes_from(0, group),
      {.kind = Goal::Kind::latency, .owner = NodeId{0}, .open_frames = 1, .deadline = {}}));
  load.plan = found.rotation.front().plan;
  return load;
}

// The plan for the eight nodes from `first` on.
Plan moved_by(Plan plan, uint32_t first) {
  for (FusedBlock& block : plan.blocks)
    for (Tile& tile : block.tiles) tile.home.value += first;
  return plan;
}

struct Advance {
  Time reached{};
  double realtime = 0.0;
};

// In slices, as far as the patience lasts.
Advance advance(sim::VirtualCluster& cluster, Time from, Time until) {
  const auto since = std::chrono::steady_clock::now();
  Time now = from;
  for (; now < until && std::chrono::steady_clock::now() - since < patience; now += slice)
    cluster.run(now + slice);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - since;
  return {now, in_nanoseconds(now - from) / 1e9 / took.count()};
}

struct Speed {
  double realtime = 0.0, seconds = 0.0, delivered = 0.0;  // seconds: virtual
  uint64_t events = 0;
  std::string trouble{};
};

Speed speed_of(const Load& load, uint32_t nodes, bool single_beats) {
  sim::ClusterOptions options = sim::cluster_options(nodes_from(0, nodes), 4);
  options.ticks_are_events = !single_beats;
  for (sim::Machine& machine : options.machines) machine.node.limits.steals = true;
  sim::VirtualCluster cluster(std::move(options), load.model);
  const Time begin = Time{} + joining, end = begin + measured;
  for (uint32_t camera = 0; camera < nodes / group; ++camera) {
    const NodeId owner{camera * group};
    const Plan plan = moved_by(load.plan, owner.value);
    cluster.propose(Time{}, owner, plan);
    // Cameras are not in step.
    const Duration phase = std::chrono::seconds(1) * camera / (nodes / group);
    for (Time at = begin + phase; at < end; at += std::chrono::seconds(1))
      cluster.capture(at, owner, hash_of(plan), frame_patience);
  }
  const Advance joined = advance(cluster, Time{}, begin);
  if (joined.reached < begin) return {.realtime = joined.realtime};
  const uint64_t before = cluster.events();
  const Advance ran = advance(cluster, begin, end);
  const auto& fates = cluster.fates();
  return {.realtime = ran.realtime,
          .seconds = in_nanoseconds(ran.reached - begin) / 1e9,
          .delivered = static_cast<double>(fates.delivered) /
                       static_cast<double>(std::max<size_t>(1, fates.captured)),
          .events = cluster.events() - before,
          .trouble = cluster.breaches().empty() ? std::string() : cluster.breaches().front()};
}

int run(const std::vector<uint32_t>& sizes, bool single_beats, bool json) {
  const Load load = make_load();
  std::ostringstream line;
  bool good = true;
  for (const uint32_t nodes : sizes) {
    const Speed speed = speed_of(load, nodes, single_beats);
    std::printf("%4u nodes: %7.4f x real time, %.2f s, %llu events, %.1f %% delivered%s%s\n", nodes,
                speed.realtime, speed.seconds, static_cast<unsigned long long>(speed.events),
                100.0 * speed.delivered, speed.trouble.empty() ? "" : "; ", speed.trouble.c_str());
    std::fflush(stdout);
    const bool ended = speed.seconds * 1.001 < in_nanoseconds(measured) / 1e9;
    const bool valid = (ended || speed.delivered >= least_delivered) && speed.trouble.empty();
    good = good && valid;
    line << (line.tellp() > 0 ? ", " : "") << "\"realtime_" << nodes
         << "\": " << (valid ? std::to_string(speed.realtime) : "null");
  }
  if (json) std::printf("{%s}\n", line.str().c_str());
  return good ? 0 : 1;
}

std::vector<uint32_t> numbers(const std::string& list) {
  std::vector<uint32_t> all;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');)
    all.push_back(static_cast<uint32_t>(std::strtoul(word.c_str(), nullptr, 10)));
  return all;
}

}  // namespace
}  // namespace shingle::bench

int main(int argc, char** argv) {
  std::vector<uint32_t> sizes{64, 256, 1000};
  bool json = false, single_beats = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0)
      json = true;
    else if (std::strcmp(argv[i], "--single-beats") == 0)
      single_beats = true;
    else if (std::strncmp(argv[i], "--nodes=", 8) == 0)
      sizes = shingle::bench::numbers(argv[i] + 8);
    else
      return std::fprintf(stderr,
                          "bench-sim-speed: --json, --single-beats and --nodes=N,N are known\n"),
             2;
  }
  return shingle::bench::run(sizes, single_beats, json);
}

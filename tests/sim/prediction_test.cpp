// What the planner predicts against the real Nodes in virtual time: the same boards, the same
// wires.
#include <doctest/doctest.h>

#include "partition/plan_search.hpp"
#include "partition/planner.hpp"
#include "runtime/load_plan.hpp"
#include "sim/cluster.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::sim {
namespace {

Model picture_model(const std::string& name, int32_t size) {
  Model model = std::move(networks::make(name, size)).value();
  take_image(model, {1 / 255.0F, 1 / 255.0F, 1 / 255.0F}, {0.0F, 0.0F, 0.0F});
  return model;
}

Cluster boards(const std::vector<double>& gflops, double mbps) {
  Cluster cluster;
  cluster.sharing = PortSharing::in_order;  // as sim/network passes messages on
  for (uint32_t i = 0; i < gflops.size(); ++i) {
    ClusterNode node{.id = NodeId{i}};
    node.profile = paced_profile(gflops[i]);
    node.link_mbps = mbps;
    cluster.nodes.push_back(std::move(node));
  }
  return cluster;
}

ClusterOptions machines_of(const Cluster& cluster, int32_t open_frames) {
  ClusterOptions options;
  options.contents = Contents::shape;
  const double mbps = cluster.medium_mbps.value_or(cluster.nodes[0].link_mbps);
  options.network.bytes_per_second = static_cast<int64_t>(mbps * 125'000.0);
  options.network.one_medium = cluster.medium_mbps.has_value();
  options.keep_trace = true;
  for (const ClusterNode& node : cluster.nodes) {
    Machine machine;
    machine.node.id = node.id;
    machine.node.arithmetic_class = "virtual";
    machine.node.limits.open_frames = static_cast<uint32_t>(open_frames);
    machine.node.limits.waiting_frames = 100;
    machine.node.limits.steals = false;
    machine.profile = node.profile;
    options.machines.push_back(std::move(machine));
  }
  return options;
}

struct Measured {
  double latency_ns = 0.0;    // of the first frame
  double period_ns = 0.0;     // between later ones
  int64_t payload_bytes = 0;  // per frame
};

// `frames` captured at once by node 0, on a plan that is loaded already.
Measured run(const Model& model, const Cluster& cluster, const Plan& plan, StreamOfFrames stream) {
  VirtualCluster nodes(machines_of(cluster, stream.open_frames), model);
  const NodeId owner{0};
  const PlanHash hash = hash_of(plan);
  const Time ready = Time{} + std::chrono::seconds(60), end = ready + std::chrono::hours(2);
  nodes.propose(Time{}, owner, plan);
  for (int32_t i = 0; i < stream.frames; ++i)
    nodes.capture(ready, owner, hash, std::chrono::hours(1));
  CHECK(nodes.run(end));
  CHECK(nodes.breaches() == std::vector<std::string>{});
  REQUIRE(nodes.fates().delivered == static_cast<size_t>(stream.frames));
  std::vector<double> delivered;
  Measured measured;
  for (const TraceEvent& event : nodes.trace()) {
    if (event.kind == TraceEvent::Kind::delivered) {
      delivered.push_back(static_cast<double>((event.at - ready).count()));
    }
    if (event.kind == TraceEvent::Kind::sent) measured.payload_bytes += event.bytes;
  }
  measured.payload_bytes /= stream.frames;
  measured.latency_ns = delivered.front();
  const auto open = static_cast<size_t>(stream.open_frames);
  if (delivered.size() > 2 * open) {
    const size_t between = (delivered.size() - 2 * open) / open * open;
    measured.period_ns =
        (delivered[open - 1 + between] - delivered[open - 1]) / static_cast<double>(between);
  }
  return measured;
}

void agree(const Model& model, const Cluster& cluster, Goal goal) {
  goal.owner = NodeId{0};
  const Result<Found> found = find_plan(model, cluster, goal, 300'000);
  REQUIRE(found.ok());
  const Measured alone = run(model, cluster, found->plan, {});
  const auto predicted = static_cast<double>(found->line.latency_ns);
  CHECK(alone.latency_ns == doctest::Approx(predicted).epsilon(0.10));
  CHECK(alone.payload_bytes == found->line.wire_bytes);
  const Measured stream = run(model, cluster, found->plan, steady_stream(goal.open_frames));
  const auto period = static_cast<double>(found->stream.period_ns);
  CHECK(stream.period_ns == doctest::Approx(period).epsilon(0.10));
}

}  // namespace

TEST_CASE("six equal boards take what was predicted for one frame and for a stream") {
  agree(picture_model("yolov2_front", 608), boards({4, 4, 4, 4, 4, 4}, 47.0), {});
  agree(picture_model("yolov2_front", 608), boards({4, 4, 4, 4, 4, 4}, 47.0),
        {.kind = Goal::Kind::throughput, .open_frames = 3});
}

TEST_CASE("the whole of YOLOv2, its route and reorg included, takes what was predicted") {
  agree(picture_model("yolov2", 608), boards({4, 4, 4, 4, 4, 4}, 47.0), {});
}

TEST_CASE("unequal boards take what was predicted") {
  agree(picture_model("yolov2", 416), boards({1.7, 1.7, 3.4, 3.4, 6.8, 6.8}, 47.0), {});
}

TEST_CASE("boards on one medium take what was predicted") {
  Cluster cluster = boards({4, 4, 4, 4, 4, 4}, 47.0);
  cluster.medium_mbps = 11.8;
  agree(picture_model("yolov2", 416), cluster, {});
}

TEST_CASE("residual, inverted and three-headed networks take what was predicted") {
  for (const char* name : {"resnet50", "mobilenetv2", "yolov8n", "yolov3_tiny"}) {
    INFO(name);
    agree(picture_model(name, 0), boards({4, 4, 4, 4}, 47.0), {});
  }
}

}  // namespace shingle::sim

// The simulation of plans: results that follow from speeds, wires and slots by hand.
#include "partition/simulation/timeline.hpp"

#include <doctest/doctest.h>

#include "partition/plan/program.hpp"
#include "partition/plan/routes.hpp"
#include "partition/search/planner.hpp"
#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;
using networks::Random;

namespace {

constexpr Duration link_latency = std::chrono::milliseconds(1);

// Nodes from 1 on, with 1 ns per MAC and no cost per call; 1 MB/s, 1 ms.
Cluster simple(uint32_t count) {
  Cluster cluster = equal_nodes(count);
  NodeProfile profile;
  for (WorkCost& cost : profile.costs) cost.ns_per_mac = 1.0;
  for (ClusterNode& node : cluster.nodes) {
    node.profile = profile;
    node.link_mbps = 8.0;
    node.link_latency_us = 1000.0;
  }
  return cluster;
}

Duration wire_time(int64_t bytes) { return Duration((bytes + 128) * 1000); }

Duration compute_time(int64_t macs) { return Duration(macs); }  // in simple() clusters

// 16x16x3 floats -> 4 channels -> 4 channels: two blocks of one tile, each on the given node.
Plan two_blocks(const Model& model, NodeId first, NodeId second) {
  Plan plan = grid_plan(model, equal_nodes(1), {.cut_after = {{0}}, .grid = {1, 1}});
  plan.blocks[0].tiles[0].home = first;
  plan.blocks[1].tiles[0].home = second;
  return plan;
}

Model two_layers() {
  Model model;
  const TensorId frame = add_input(model, "frame", {16, 16, 3});
  add_output(model, "out", add_conv(model, add_conv(model, frame, 4, same3), 4, same3));
  return model;
}

constexpr int64_t first_macs = 16 * 16 * 3 * 4 * 9, second_macs = 16 * 16 * 4 * 4 * 9;
constexpr int64_t frame_bytes = 16 * 16 * 3 * 4, map_bytes = 16 * 16 * 4 * 4;

}  // namespace

TEST_CASE("on its owner a frame takes the time of its MACs") {
  const Model model = two_layers();
  const Timeline line = simulate(model, simple(1), two_blocks(model, {1}, {1}), NodeId{1}, {});
  CHECK(line.latency == compute_time(first_macs + second_macs));
  CHECK(line.wire_bytes == 0);
  CHECK(line.links.empty());
  CHECK(line.nodes[0].busy == line.latency);
  // idle 2 W all the time, 3 W more while busy, which it always is
  CHECK(line.energy_joules == doctest::Approx(5e-9 * in_nanoseconds(line.latency)));
}

TEST_CASE("on another node it also takes the time to ask for a slot and to send frame and result") {
  const Model model = two_layers();
  const Timeline line = simulate(model, simple(2), two_blocks(model, {2}, {2}), NodeId{1}, {});
  const Duration asking = 2 * link_latency + 2 * 2 * wire_time(0);
  Duration expected =
      asking + link_latency + wire_time(frame_bytes) + compute_time(first_macs + second_macs);
  expected += link_latency + wire_time(map_bytes);
  // Each byte passes two ports. A message enters the second one while it leaves the first, so only
  // the last packet's time there comes on top, for the frame and for the result.
  constexpr int64_t packet_bytes = 1448;
  CHECK(line.latency >= expected);
  CHECK(line.latency <= expected + 2 * wire_time(packet_bytes));
  CHECK(line.wire_bytes == frame_bytes + map_bytes);
  REQUIRE(line.links.size() == 2);
  CHECK(line.links[0].bytes == frame_bytes);
  CHECK(line.nodes[1].received_bytes == frame_bytes);
  CHECK(line.nodes[1].sent_bytes == map_bytes);
}

TEST_CASE("two slots compute two tiles at a time") {
  const Model model = two_layers();
  Cluster cluster = simple(1);
  const Plan halves = grid_plan(model, cluster, {.cut_after = {{0}}, .grid = {2, 1}});
  const Duration one = simulate(model, cluster, halves, NodeId{1}, {}).latency;
  cluster.nodes[0].profile->slots = 2;
  CHECK(simulate(model, cluster, halves, NodeId{1}, {}).latency * 2 == one);
}

TEST_CASE("the period of a pipeline is that of its slowest stage") {
  const Model model = two_layers();
  Cluster cluster = simple(2);
  for (ClusterNode& node : cluster.nodes) node.link_mbps = 1e5, node.link_latency_us = 1.0;
  const Plan plan = two_blocks(model, {1}, {2});
  const Timeline line = simulate(model, cluster, plan, NodeId{1}, steady_stream(3));
  CHECK(in_nanoseconds(line.period) == doctest::Approx(double(second_macs)).epsilon(0.001));
  CHECK(line.delivered.size() == 12);
}

TEST_CASE("frames in turn: a slow turn keeps later frames waiting, unless many are open") {
  const Model model = two_layers();
  Cluster cluster = simple(2);
  for (ClusterNode& node : cluster.nodes) node.link_mbps = 1e6, node.link_latency_us = 0.1;
  for (WorkCost& cost : cluster.nodes[1].profile->costs) cost.ns_per_mac = 4.0;
  // Four frames on node 1, 1 unit of time each, then one on node 2, which takes 4 units
  const Dataflow fast = dataflow(model, cluster, two_blocks(model, {1}, {1}), NodeId{1});
  const Dataflow slow = dataflow(model, cluster, two_blocks(model, {2}, {2}), NodeId{1});
  const std::vector<const Dataflow*> turns{&fast, &fast, &fast, &fast, &slow};
  const auto one = double(first_macs + second_macs);
  const auto period = [&](int32_t open) {
    return in_nanoseconds(simulate(cluster, turns, steady_stream(open, turns.size())).period) / one;
  };
  CHECK(period(10) == doctest::Approx(0.8).epsilon(0.01));
  // With two open frames, frames 6 and 7 begin when frame 5 is delivered, and frame 10 when frame 8
  // is: 6 units per round
  CHECK(period(2) == doctest::Approx(1.2).epsilon(0.01));
  // One by one: the slowest frame is the latency; work is the mean of a round
  const Timeline line = simulate(cluster, turns, {5, 1});
  CHECK(in_nanoseconds(line.latency) / one == doctest::Approx(4.0).epsilon(0.01));
  CHECK(in_nanoseconds(line.nodes[0].busy) / one == doctest::Approx(0.8));
  CHECK(line.nodes[1].macs == (first_macs + second_macs) / 5);
  CHECK(line.wire_bytes == (frame_bytes + map_bytes) / 5);
}

TEST_CASE("of one plan no more frames are open than its homes hold, of two in turn twice as many") {
  const Model model = two_layers();
  const Cluster cluster = simple(3);
  const Dataflow near = dataflow(model, cluster, two_blocks(model, {2}, {2}), NodeId{1});
  const Dataflow far = dataflow(model, cluster, two_blocks(model, {3}, {3}), NodeId{1});
  constexpr auto held = static_cast<int32_t>(frames_at_home);
  const auto latency = [&](const std::vector<const Dataflow*>& turns, int32_t open_frames) {
    return simulate(cluster, turns, {.frames = 100, .open_frames = open_frames}).typical_latency;
  };
  CHECK(latency({&near}, 3 * held) == latency({&near}, held));
  CHECK(latency({&near}, held) > latency({&near}, held - 1));
  CHECK(latency({&near, &far}, 3 * held) == latency({&near, &far}, 2 * held));
  CHECK(latency({&near, &far}, 2 * held) > latency({&near, &far}, held));
}

TEST_CASE("one medium carries one message at a time, whoever sends it") {
  const Model model = two_layers();
  Cluster cluster = simple(3);
  cluster.medium_mbps = 8.0;
  const Plan plan = grid_plan(model, cluster, {.cut_after = {{0}}, .grid = {3, 1}});
  const Timeline line = simulate(model, cluster, plan, NodeId{1}, {});
  CHECK(line.latency > Duration(line.wire_bytes * 1000));
}

TEST_CASE("a node's peak is its weights, its canvases as long as they are read, and the pass") {
  const Model model = two_layers();
  const Timeline line = simulate(model, simple(2), two_blocks(model, {2}, {2}), NodeId{1}, {});
  // weights: 3x4 and 4x4 kernels of nine taps
  CHECK(line.nodes[1].weight_bytes == (3 * 4 + 4 * 4) * 9 * 4);
  // the maximum: both maps while the second is computed; a pass also has its output in a buffer
  CHECK(line.nodes[1].canvas_bytes == 2 * map_bytes);
  CHECK(line.nodes[1].peak_bytes == line.nodes[1].weight_bytes + 3 * map_bytes);
  // the owner: the frame and the result
  CHECK(line.nodes[0].canvas_bytes == frame_bytes + map_bytes);
}

TEST_CASE(
    "copies of a result count beside what is there when it is delivered, with several frames open "
    "beside everything") {
  const Model model = two_layers();
  const Plan plan = two_blocks(model, {1}, {1});
  Cluster cluster = simple(2);
  const auto peaks = [&](double copies, int32_t open) {
    cluster.footprint =
        Footprint{.pass = [](const Model&, const TileProgram&) { return PassBuffers{}; },
                  .weights = [](const Model&, const Step&) { return int64_t{0}; },
                  .results_at_owner = copies};
    const Timeline line = simulate(model, cluster, plan, NodeId{2}, {4, open});
    return std::pair(line.nodes[0].peak_bytes, line.nodes[1].peak_bytes);
  };
  // The owner computes nothing: it holds a frame until the end of the result arrives, then the
  // result.
  const auto [home, owner] = peaks(0.0, 1);
  CHECK(owner == frame_bytes + map_bytes);
  CHECK(peaks(0.5, 1) == std::pair(home, owner));
  CHECK(peaks(3.0, 1) == std::pair(home, map_bytes + 3 * map_bytes));
  const int64_t two_open = peaks(0.0, 2).second;
  CHECK(peaks(3.0, 2) == std::pair(peaks(0.0, 2).first, two_open + 2 * 3 * map_bytes));
}

TEST_CASE("under caps a canvas counts as far as it was written, else whole") {
  // Given opposite corners of a map on each of two homes: their canvases cover the whole map.
  Model model;
  const TensorId frame = add_input(model, "frame", {16, 16, 3});
  add_output(model, "out", add_conv(model, frame, 4, same3));
  Plan plan = grid_plan(model, equal_nodes(1), {.cut_after = {}, .grid = {2, 2}});
  for (const size_t tile : {1, 2}) plan.blocks[0].tiles[tile].home = NodeId{2};
  Cluster cluster = simple(3);
  const Timeline kept = simulate(model, cluster, plan, NodeId{3}, {});
  cluster.footprint =
      Footprint{.pass = [](const Model&, const TileProgram&) { return PassBuffers{}; },
                .weights = [](const Model&, const Step&) { return int64_t{0}; }};
  const Timeline capped = simulate(model, cluster, plan, NodeId{3}, {});
  // Then two windows of 9x9 pixels, which share 2x2, and two quarters of the output are resident.
  for (const size_t node : {0, 1}) {
    CHECK(kept.nodes[node].canvas_bytes == frame_bytes + map_bytes);
    CHECK(capped.nodes[node].canvas_bytes == frame_bytes + map_bytes);
    CHECK(capped.nodes[node].peak_bytes >= 158 * 12 + map_bytes / 2);
    CHECK(capped.nodes[node].peak_bytes <= 162 * 12 + map_bytes / 2);
  }
}

TEST_CASE("a node holds more when more frames are open") {
  const Model model = two_layers();
  const Plan plan = two_blocks(model, {2}, {2});
  Cluster cluster = simple(2);
  for (WorkCost& cost : cluster.nodes[1].profile->costs) cost.ns_per_mac = 1000.0;
  const int64_t one = simulate(model, cluster, plan, NodeId{1}, {}).nodes[1].canvas_bytes;
  const int64_t three =
      simulate(model, cluster, plan, NodeId{1}, steady_stream(3)).nodes[1].canvas_bytes;
  CHECK(three > one);
  CHECK(three <= 3 * one);
}

TEST_CASE("the simulation moves exactly the strips that nodes will send") {
  Random random(80);
  for (int round = 0; round < 200; ++round) {
    INFO("seed 80, round " << round);
    const Model model = networks::random_model(random);
    const Plan plan = random_plan(random, model);
    const Cluster cluster = equal_nodes(8);
    const NodeId owner{static_cast<uint32_t>(random.between(1, 9))};
    const Routes routes = make_routes(model, plan);
    std::map<std::pair<NodeId, NodeId>, int64_t> expected;
    const NodeId beside{UINT32_MAX};
    const NodeId sender = owner.value > 8 ? beside : owner;
    for (const Strip& strip : routes.strips) {
      const NodeId from = strip.producer ? tile(plan, *strip.producer).home : sender;
      const NodeId to = strip.destination.value_or(sender);
      if (from != to) expected[{from, to}] += strip.bytes;
    }
    const Timeline line = simulate(model, cluster, plan, owner, {});
    std::map<std::pair<NodeId, NodeId>, int64_t> moved;
    for (const LinkLoad& link : line.links) moved[{link.from, link.to}] = link.bytes;
    REQUIRE(moved == expected);
    REQUIRE(line.latency > Duration::zero());
  }
}

TEST_CASE("every plan of every random network is simulated to its end, alone and in a stream") {
  Random random(81);
  for (int round = 0; round < 200; ++round) {
    INFO("seed 81, round " << round);
    const Model model = networks::random_model(random);
    const Plan plan = random_plan(random, model);
    Cluster cluster = equal_nodes(8);
    if (random.chance(0.3)) cluster.medium_mbps = 10.0;
    const Timeline line = simulate(model, cluster, plan, NodeId{2}, steady_stream(2));
    Time last{};
    for (const Time delivered : line.delivered) {
      REQUIRE(delivered > Time{});
      last = std::max(last, delivered);
    }
    REQUIRE(line.period <= last - Time{});
    for (const NodeLoad& node : line.nodes) REQUIRE(node.busy <= line.latency);
  }
}

TEST_CASE("a simulation is given up exactly if the frame takes longer than allowed") {
  Random random(82);
  for (int round = 0; round < 100; ++round) {
    INFO("seed 82, round " << round);
    const Model model = networks::random_model(random);
    const Cluster cluster = equal_nodes(8);
    const Dataflow flow = dataflow(model, cluster, random_plan(random, model), NodeId{2});
    const Timeline line = simulate(cluster, {&flow}, {});
    const std::optional<Timeline> just = simulate_within(cluster, flow, line.latency);
    REQUIRE(just.has_value());
    REQUIRE(just->latency == line.latency);
    REQUIRE(just->energy_joules == line.energy_joules);
    REQUIRE(!simulate_within(cluster, flow, line.latency - Duration(1)));
    REQUIRE(!simulate_within(cluster, flow, line.latency / 2));
  }
}

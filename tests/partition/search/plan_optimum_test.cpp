// The search compared with exhaustive search: on small cases every plan of a family is simulated,
// and the plan that the search finds may be at most 5 % worse than the best of them.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "partition/plan/tile_cost.hpp"
#include "partition/search/plan_search.hpp"
#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;
using networks::Random;

namespace {

// How a block is cut between nodes 1, 2, ...: node i + 1 has the rows (or columns) from shares[i]
// to shares[i + 1], in 24ths of the map, as a number of tiles.
struct Cut {
  std::vector<int32_t> shares;
  bool sideways = false;
  int32_t tiles = 1;
};
constexpr int32_t side = 24;

FusedBlock make_block(const Model& model, uint32_t begin, uint32_t end, const Cut& cut) {
  FusedBlock block;
  for (uint32_t layer = begin; layer < end; ++layer) block.layers.push_back({layer});
  const TensorId output = model.layers[end - 1].output;
  const Shape& map = model.at(output).shape;
  const Span all{0, map.h};
  for (uint32_t node = 0; node + 1 < cut.shares.size(); ++node) {
    const Span rows{map.h * cut.shares[node] / side, map.h * cut.shares[node + 1] / side};
    const int32_t tiles = rows == all ? 1 : std::min(cut.tiles, rows.size());
    for (int32_t i = 0; i < tiles; ++i) {
      const Span part{rows.begin + rows.size() * i / tiles,
                      rows.begin + rows.size() * (i + 1) / tiles};
      const Region region =
          cut.sideways ? Region{all, part, {0, map.c}} : Region{part, all, {0, map.c}};
      block.tiles.push_back(make_tile(model, block, {{output, region}}));
      block.tiles.back().home = {node + 1};
    }
  }
  return block;
}

// Simulates every plan of a chain of layers whose blocks are cut in one of the ways of `cuts`;
// keeps the best.
class Everything {
 public:
  Everything(const Model& model, const Cluster& cluster, const Goal& goal,
             const std::vector<Cut>& cuts)
      : model_(model), cluster_(cluster), goal_(goal), connections_(model, cluster) {
    const std::vector<NodeProfile> profiles = profiles_of(cluster);
    for (uint32_t begin = 0; begin < layers(); ++begin) {
      for (uint32_t end = begin + 1; end <= layers(); ++end) {
        for (const Cut& cut : cuts)
          blocks_[{begin, end}].push_back(
              made_block(model, cluster, profiles, make_block(model, begin, end, cut)));
      }
    }
    choose(0);
  }

  double best_ns() const { return best_ns_; }
  int64_t plans() const { return plans_; }

 private:
  uint32_t layers() const { return static_cast<uint32_t>(model_.layers.size()); }

  void choose(uint32_t begin) {
    if (begin == layers()) return judge();
    for (uint32_t end = begin + 1; end <= layers(); ++end) {
      for (const MadeBlock& block : blocks_.at({begin, end})) {
        chosen_.push_back(&block);
        choose(end);
        chosen_.pop_back();
      }
    }
  }

  void judge() {
    const Dataflow flow = dataflow(model_, cluster_, chosen_, connections_, goal_.owner);
    const bool alone = goal_.kind == Goal::Kind::latency;
    const Timeline line =
        simulate(cluster_, {&flow}, alone ? StreamOfFrames{} : steady_stream(goal_.open_frames));
    best_ns_ = std::min(best_ns_, in_nanoseconds(alone ? line.latency : line.period));
    ++plans_;
  }

  const Model& model_;
  const Cluster& cluster_;
  const Goal& goal_;
  Connections connections_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<MadeBlock>> blocks_;
  std::vector<const MadeBlock*> chosen_;
  double best_ns_ = 1e18;
  int64_t plans_ = 0;
};

// Three convolutions in sequence; both wires and cores limit their speed.
Model three_layers() {
  Model model;
  TensorId map = add_input(model, "frame", {side, side, 8});
  for (int32_t channels : {16, 16, 8}) map = add_conv(model, map, channels, same3);
  add_output(model, "out", map);
  return model;
}

// A sequence of convolutions, 3x3 and 1x1, of different widths; one of them may halve the map.
Model random_layers(Random& random, int32_t layers) {
  Model model;
  TensorId map = add_input(model, "frame", {side, side, 8});
  const int32_t halves = random.between(0, 2 * layers);
  for (int32_t layer = 0; layer < layers; ++layer) {
    const Window window = layer == halves ? half3 : random.chance(0.3) ? Window{} : same3;
    map = add_conv(model, map, 8 * random.between(1, 3), window);
  }
  add_output(model, "out", map);
  return model;
}

Cluster random_nodes(Random& random, uint32_t count) {
  Cluster cluster = equal_nodes(count);
  for (ClusterNode& node : cluster.nodes) {
    node.gflops = 0.01 * random.between(5, 40);
    node.link_mbps = random.between(5, 100);
  }
  if (random.chance(0.3)) cluster.medium_mbps = random.between(5, 50);
  return cluster;
}

// Frames come from a node, or from a machine beside the cluster. The family has no Winograd, so the
// search must not use it either.
Goal random_goal(Random& random, int32_t nodes) {
  Goal goal;
  goal.winograd = WinogradUse::never;
  goal.kind = random.chance(0.5) ? Goal::Kind::latency : Goal::Kind::throughput;
  goal.owner = NodeId{static_cast<uint32_t>(random.between(1, nodes + 1))};
  return goal;
}

// Everything on one of two nodes; and a border after every third row, with one to three tiles on
// each node.
std::vector<Cut> cuts_of_two() {
  std::vector<Cut> cuts{{{0, side, side}}, {{0, 0, side}}};
  for (bool sideways : {false, true}) {
    for (int32_t tiles : {1, 2, 3}) {
      for (int32_t row = 6; row <= 18; row += 3) cuts.push_back({{0, row, side}, sideways, tiles});
    }
  }
  return cuts;
}

// Shares of the nodes in the bit set `among`, by their speeds.
std::vector<int32_t> shares_of(const Cluster& cluster, uint32_t among) {
  const auto speed = [&](size_t node) {
    return (among >> node & 1U) != 0 ? cluster.nodes[node].gflops : 0.0;
  };
  double sum = 0.0, reached = 0.0;
  for (size_t node = 0; node < cluster.nodes.size(); ++node) sum += speed(node);
  std::vector<int32_t> shares{0};
  for (size_t node = 0; node < cluster.nodes.size(); ++node) {
    reached += speed(node);
    shares.push_back(static_cast<int32_t>(std::lround(side * reached / sum)));
  }
  return shares;
}

// Everything on one node, or shares by speed among two or three nodes, with one or three tiles on
// each.
std::vector<Cut> cuts_of_three(const Cluster& cluster, const std::vector<uint32_t>& shared_among) {
  std::vector<Cut> cuts;
  for (uint32_t alone : {1U, 2U, 4U}) cuts.push_back({shares_of(cluster, alone)});
  for (uint32_t among : shared_among)
    for (int32_t tiles : {1, 3}) cuts.push_back({shares_of(cluster, among), false, tiles});
  return cuts;
}

void check_near_the_best(const Model& model, const Cluster& cluster, const Goal& goal,
                         const std::vector<Cut>& cuts, int64_t least_plans) {
  const Everything everything(model, cluster, goal, cuts);
  CHECK(everything.plans() > least_plans);
  const Result<Found> found = find_plan(model, cluster, goal);
  REQUIRE(found.ok());
  const double reached =
      in_nanoseconds(goal.kind == Goal::Kind::latency ? found->line.latency : found->stream.period);
  CHECK(reached <= 1.05 * everything.best_ns());
}

}  // namespace

TEST_CASE("on two nodes the search comes within 5 % of the best of all plans" *
          doctest::test_suite("long")) {
  Random random(90);
  const Model model = three_layers();
  for (int round = 0; round < 5; ++round) {
    INFO("seed 90, round " << round);
    const Cluster cluster = random_nodes(random, 2);
    const Goal goal = random_goal(random, 2);
    check_near_the_best(model, cluster, goal, cuts_of_two(), 30'000);
  }
}

TEST_CASE("on three nodes, with four or five layers, the search comes as close to the best" *
          doctest::test_suite("long")) {
  Random random(92);
  for (int round = 0; round < 4; ++round) {
    INFO("seed 92, round " << round);
    const bool deep = round % 2 == 1;
    const Model model = random_layers(random, deep ? 5 : 4);
    const Cluster cluster = random_nodes(random, 3);
    const Goal goal = random_goal(random, 3);
    const std::vector<uint32_t> every_group{0b011, 0b101, 0b110, 0b111}, all_or_two{0b011, 0b111};
    const std::vector<Cut> cuts = cuts_of_three(cluster, deep ? all_or_two : every_group);
    check_near_the_best(model, cluster, goal, cuts, 15'000);
  }
}

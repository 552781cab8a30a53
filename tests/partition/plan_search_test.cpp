// The search against everything: on small cases every plan of a family is simulated, and what the
// search finds may be at most 5 % worse than the best of them.
#include "partition/plan_search.hpp"

#include <doctest/doctest.h>

#include "partition/planner.hpp"
#include "partition/tile_cost.hpp"
#include "tests/partition/random_plans.hpp"

using namespace shingle;
using networks::Random;

namespace {

constexpr int32_t side = 24;

// Three convolutions in a row, wide enough that wires and cores both count.
Model three_layers() {
  Model model;
  TensorId map = add_input(model, "frame", {side, side, 8});
  for (int32_t channels : {16, 16, 8}) map = add_conv(model, map, channels, same3);
  add_output(model, "out", map);
  return model;
}

// How a block is cut between two nodes: above `row` the first, below it the second, each part in so
// many tiles; or along x.
struct Cut {
  int32_t row = 0;
  bool sideways = false;
  int32_t tiles = 1;
};

std::vector<Cut> every_cut() {
  std::vector<Cut> cuts{{0, false, 1}, {side, false, 1}};
  for (bool sideways : {false, true}) {
    for (int32_t tiles : {1, 2, 3}) {
      for (int32_t row = 6; row <= 18; row += 3) cuts.push_back({row, sideways, tiles});
    }
  }
  return cuts;
}

void add_tiles(const Model& model, FusedBlock& block, TensorId output, const Cut& cut, Span rows,
               NodeId home) {
  if (rows.empty()) return;
  const int32_t tiles = cut.row == 0 || cut.row == side ? 1 : cut.tiles;
  for (int32_t i = 0; i < tiles; ++i) {
    const Span part{rows.begin + rows.size() * i / tiles,
                    rows.begin + rows.size() * (i + 1) / tiles};
    const Span all{0, side};
    const int32_t channels = model.at(output).shape.c;
    const Region region =
        cut.sideways ? Region{all, part, {0, channels}} : Region{part, all, {0, channels}};
    block.tiles.push_back(make_tile(model, block, {{output, region}}));
    block.tiles.back().home = home;
  }
}

FusedBlock make_block(const Model& model, uint32_t begin, uint32_t end, const Cut& cut) {
  FusedBlock block;
  for (uint32_t layer = begin; layer < end; ++layer) block.layers.push_back({layer});
  const TensorId output = model.layers[end - 1].output;
  add_tiles(model, block, output, cut, {0, cut.row}, {1});
  add_tiles(model, block, output, cut, {cut.row, side}, {2});
  return block;
}

// Simulates every plan of the family; keeps the best.
class Everything {
 public:
  Everything(const Model& model, const Cluster& cluster, const Goal& goal)
      : model_(model), cluster_(cluster), goal_(goal), connections_(model, cluster) {
    const std::vector<NodeProfile> profiles = profiles_of(cluster);
    for (uint32_t begin = 0; begin < layers; ++begin) {
      for (uint32_t end = begin + 1; end <= layers; ++end) {
        for (const Cut& cut : every_cut()) {
          const FusedBlock block = make_block(model, begin, end, cut);
          blocks_[begin][end].push_back(made_block(model, cluster, profiles, block));
        }
      }
    }
    choose(0);
  }

  double best_ns() const { return best_ns_; }
  int64_t plans() const { return plans_; }

 private:
  static constexpr uint32_t layers = 3;

  void choose(uint32_t begin) {
    if (begin == layers) return judge();
    for (uint32_t end = begin + 1; end <= layers; ++end) {
      for (const MadeBlock& block : blocks_[begin][end]) {
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
    best_ns_ = std::min(best_ns_, double(alone ? line.latency_ns : line.period_ns));
    ++plans_;
  }

  const Model& model_;
  const Cluster& cluster_;
  const Goal& goal_;
  Connections connections_;
  std::vector<MadeBlock> blocks_[layers][layers + 1];
  std::vector<const MadeBlock*> chosen_;
  double best_ns_ = 1e18;
  int64_t plans_ = 0;
};

}  // namespace

TEST_CASE("the search comes within 5 % of the best of all plans") {
  Random random(90);
  const Model model = three_layers();
  for (int round = 0; round < 5; ++round) {
    INFO("seed 90, round " << round);
    Cluster cluster = equal_nodes(2);
    for (ClusterNode& node : cluster.nodes) {
      node.gflops = 0.01 * random.between(5, 40);
      node.link_mbps = random.between(5, 100);
    }
    if (random.chance(0.3)) cluster.medium_mbps = random.between(5, 50);
    Goal goal;
    goal.kind = random.chance(0.5) ? Goal::Kind::latency : Goal::Kind::throughput;
    goal.owner = NodeId{static_cast<uint32_t>(random.between(1, 3))};
    const Everything everything(model, cluster, goal);
    CHECK(everything.plans() > 30'000);
    const Result<Found> found = find_plan(model, cluster, goal);
    REQUIRE(found.ok());
    const double reached =
        double(goal.kind == Goal::Kind::latency ? found->line.latency_ns : found->stream.period_ns);
    CHECK(reached <= 1.05 * everything.best_ns());
  }
}

TEST_CASE("a network too small to gain stays on its owner") {
  const Result<Model> model = networks::make("tiny");
  REQUIRE(model.ok());
  Goal goal;
  goal.owner = NodeId{2};
  const Result<Found> found = find_plan(*model, equal_nodes(4), goal);
  REQUIRE(found.ok());
  CHECK(homes(found->plan) == std::vector<NodeId>{{2}});
  CHECK(found->line.wire_bytes == 0);
}

TEST_CASE("no plan is worse than the owner alone, or than the fastest node alone") {
  Random random(91);
  for (int round = 0; round < 30; ++round) {
    INFO("seed 91, round " << round);
    const Model model = networks::random_model(random);
    Cluster cluster = equal_nodes(static_cast<uint32_t>(random.between(2, 5)));
    for (ClusterNode& node : cluster.nodes) {
      node.gflops = 0.001 * random.between(1, 100);
      node.link_mbps = random.between(1, 1000);
    }
    Goal goal;
    goal.owner = NodeId{1};
    const Result<Found> found = find_plan(model, cluster, goal, 20'000);
    REQUIRE(found.ok());
    for (const ClusterNode& node : cluster.nodes) {
      const Timeline alone = simulate(model, cluster, single_plan(model, node.id), goal.owner, {});
      CHECK(double(found->line.latency_ns) <= 1.011 * double(alone.latency_ns));
    }
  }
}

TEST_CASE("the same input gives the same plan") {
  const Result<Model> model = networks::make("resnet18");
  REQUIRE(model.ok());
  const auto plan = [&] { return print(find_plan(*model, equal_nodes(5), {}, 200'000)->plan); };
  CHECK(plan() == plan());
}

TEST_CASE("a goal of energy leaves wires and nodes idle that latency would use") {
  const Result<Model> model = networks::make("yolov3_tiny");
  REQUIRE(model.ok());
  Goal frugal;
  frugal.kind = Goal::Kind::energy;
  const Result<Found> fast = find_plan(*model, equal_nodes(4), {}, 300'000);
  const Result<Found> green = find_plan(*model, equal_nodes(4), frugal, 300'000);
  REQUIRE(fast.ok());
  REQUIRE(green.ok());
  CHECK(green->line.energy_joules <= 1.02 * fast->line.energy_joules);
  CHECK(homes(green->plan).size() <= homes(fast->plan).size());
}

TEST_CASE("less memory is needed where the weights are dealt out") {
  const Result<Model> model = networks::make("yolov2_front", 160);
  REQUIRE(model.ok());
  Goal small;
  small.kind = Goal::Kind::memory;
  const auto fullest = [](const Found& found) {
    int64_t most = 0;
    for (const NodeLoad& node : found.stream.nodes) most = std::max(most, node.peak_bytes);
    return most;
  };
  const Result<Found> fast = find_plan(*model, equal_nodes(4), {}, 300'000);
  const Result<Found> lean = find_plan(*model, equal_nodes(4), small, 300'000);
  REQUIRE(fast.ok());
  REQUIRE(lean.ok());
  CHECK(fullest(*lean) < fullest(*fast));
  CHECK(fullest(*lean) < 8 << 20);  // the weights alone are 13.1 MiB
}

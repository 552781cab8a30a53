#include "tests/swarm/streams.hpp"

#include <algorithm>

#include "partition/search/planner.hpp"
#include "tests/swarm/fault_injector.hpp"

namespace shingle::swarm {

namespace {

using sim::Machine;
using std::chrono::milliseconds;

constexpr Time proposed_at = Time{} + milliseconds(1);
constexpr Time replanned_at = Time{} + milliseconds(450);
constexpr int32_t most_at_once = 66;  // frames of a large seed; a stream has up to 200

Cluster homes_of(const sim::ClusterOptions& cluster, sim::Random& random) {
  Cluster homes;
  for (const Machine& machine : cluster.machines)
    if (homes.nodes.empty() || random.chance(0.8))
      homes.nodes.push_back({machine.node.id, machine.gflops, 100.0, 0});
  return homes;
}

Plan random_grid(const Model& model, const Drawing& drawing) {
  const Cluster homes = homes_of(drawing.cluster, drawing.random);
  PlanOptions options;
  for (uint32_t layer = 0; layer + 1 < model.layers.size(); ++layer)
    if (drawing.random.chance(0.3)) options.cut_after.push_back({layer});
  options.grid = {drawing.random.between(1, 4), drawing.random.between(1, 4)};
  return grid_plan(model, homes, options);
}

void add_frames(Stream& stream, Time first, int32_t count, int32_t period_ms, size_t rotation) {
  for (int32_t frame = 0; frame < count; ++frame)
    stream.captures.push_back({first + milliseconds(frame * period_ms), rotation});
}

std::vector<Rotation> planned(const Model& model, const Cluster& homes, NodeId owner,
                              sim::Random& random) {
  const Goal goal{.kind = random.chance(0.5) ? Goal::Kind::throughput : Goal::Kind::latency,
                  .owner = owner,
                  .open_frames = random.between(1, 4)};
  std::vector<double> speed_ups;
  for (size_t i = 0; i < homes.nodes.size(); ++i)
    speed_ups.push_back(random.chance(0.5) ? 1.0 : 0.1 + random.uniform());
  auto found = networks::planned_twice(model, homes, goal, speed_ups);
  return found ? std::move(*found) : std::vector<Rotation>{};
}

}  // namespace

Stream grid_stream(const Model& model, NodeId owner, const Drawing& drawing) {
  sim::Random& random = drawing.random;
  Stream stream{.owner = owner, .rotations = {{{random_grid(model, drawing)}}}, .captures = {}};
  const int32_t most = drawing.large ? most_at_once : 6;
  const int32_t least = drawing.large ? 10 : 1;
  const auto draw = [&](Time from, int32_t longest_period, int32_t fewest, int32_t most_frames) {
    const int32_t period = random.between(0, longest_period);
    add_frames(stream, from, random.between(fewest, most_frames), period, 0);
  };
  draw(Time{} + milliseconds(2), 100, least, most);
  draw(Time{} + milliseconds(500), drawing.large ? 100 : 400, 0, most);
  draw(settled, 100, 1, drawing.large ? most : 3);
  return stream;
}

void take_planners_plans(Stream& stream, const Model& model, PlanDraw draw,
                         const Drawing& drawing) {
  const Cluster homes = homes_of(drawing.cluster, drawing.random);
  networks::Random dice(drawing.random.next());
  std::vector<Rotation> rotations;
  switch (draw) {
    case PlanDraw::grid:
      return;
    case PlanDraw::layouts:
      rotations = {{{networks::drawn_plan(dice, model, homes)}}};
      if (dice.chance(0.3)) rotations.push_back({{networks::drawn_plan(dice, model, homes)}});
      break;
    case PlanDraw::rotation:
      rotations = {networks::drawn_rotation(dice, model, homes)};
      if (dice.chance(0.5)) rotations.push_back(networks::drawn_rotation(dice, model, homes));
      break;
    case PlanDraw::planner:
      rotations = planned(model, homes, stream.owner, drawing.random);
      break;
  }
  if (rotations.empty()) return;
  stream.rotations = std::move(rotations);
  for (Stream::Capture& capture : stream.captures)
    if (capture.at >= replanned_at) capture.rotation = stream.rotations.size() - 1;
}

void play(sim::VirtualCluster& cluster, const Stream& stream) {
  std::vector<Dealer> dealers;
  std::vector<std::vector<PlanHash>> plans;
  for (size_t i = 0; i < stream.rotations.size(); ++i) {
    dealers.emplace_back(stream.rotations[i]);
    plans.emplace_back();
    for (const Turn& turn : stream.rotations[i]) {
      plans.back().push_back(hash_of(turn.plan));
      cluster.propose(i == 0 ? proposed_at : replanned_at, stream.owner, turn.plan);
    }
  }
  for (const Stream::Capture& capture : stream.captures) {
    const std::vector<PlanHash>& hashes = plans[capture.rotation];
    const size_t turn = dealers[capture.rotation].next(std::vector<bool>(hashes.size(), true));
    cluster.capture(capture.at, stream.owner, hashes[turn], milliseconds(200));
  }
}

void propose_again(sim::VirtualCluster& cluster, const Stream& stream) {
  for (const Turn& turn : stream.rotations.back())
    cluster.propose(calm + milliseconds(10), stream.owner, turn.plan);
}

Duration longest_tile(const Stream& stream, const sim::ClusterOptions& cluster) {
  double slowest = 1e9;  // GFLOP/s
  for (const Machine& machine : cluster.machines) slowest = std::min(slowest, machine.gflops);
  int64_t most = 0;
  for (const Rotation& rotation : stream.rotations)
    for (const Turn& turn : rotation)
      for (const FusedBlock& block : turn.plan.blocks)
        for (const Tile& tile : block.tiles) most = std::max(most, tile.macs);
  return Duration(static_cast<int64_t>(2.0 * static_cast<double>(most) / slowest));
}

}  // namespace shingle::swarm

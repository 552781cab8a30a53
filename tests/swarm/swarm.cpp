#include "tests/swarm/swarm.hpp"

#include "devices/reference.hpp"
#include "partition/planner.hpp"
#include "sim/random.hpp"
#include "tests/networks/networks.hpp"
#include "tests/swarm/saboteur.hpp"

namespace shingle::swarm {

namespace {

using sim::ClusterOptions;
using sim::Machine;
using sim::Random;
using sim::VirtualCluster;
using std::chrono::milliseconds;

// So that whoever's weights change has found it when all is settled.
constexpr Duration weights_looked_through = std::chrono::seconds(2);

constexpr Duration rest_awaited = std::chrono::minutes(10);

Time at_ms(int64_t ms) { return Time{} + milliseconds(ms); }

NodeLimits random_limits(Random& random) {
  NodeLimits limits;
  limits.compute_slots = static_cast<uint32_t>(random.between(1, 2));
  limits.open_frames = static_cast<uint32_t>(random.between(1, 4));
  limits.waiting_frames = static_cast<uint32_t>(random.between(1, 4));
  limits.drop = random.chance(0.5) ? DropPolicy::drop_oldest : DropPolicy::refuse_newest;
  limits.frame_slots = static_cast<uint32_t>(random.between(1, 5));
  limits.link_window_bytes = random.between(1000, 100'000);
  limits.steals = random.chance(0.8);
  limits.steal_keep = static_cast<uint32_t>(random.between(0, 2));
  limits.link_bytes_per_second = random.chance(0.5) ? 1'000'000'000 : 1'000'000;
  limits.silence_allowed = milliseconds(random.between(300, 1500));
  return limits;
}

// Now and then a board is so much slower than the others that all of them borrow its tiles.
double random_gflops(Random& random) {
  return random.chance(0.3) ? 0.0005 : 0.002 * random.between(1, 40);
}

ClusterOptions random_cluster(const Options& wanted, Random& random) {
  ClusterOptions options;
  options.seed = wanted.seed;
  options.contents = wanted.contents;
  options.keep_trace = wanted.keep_trace;
  options.make_executor = [] { return std::make_unique<ReferenceExecutor>(); };
  options.network.latency = std::chrono::microseconds(random.between(10, 5000));
  options.network.bytes_per_second = random.between(100'000, 20'000'000);
  options.network.loss = random.chance(0.3) ? 0.02 : 0.0;
  const auto drawn = static_cast<uint32_t>(random.between(1, 8));
  const uint32_t count = wanted.machines > 0 ? wanted.machines : drawn;
  for (uint32_t id = 0; id < count; ++id) {
    Machine machine;
    machine.node.id = NodeId{id};
    machine.node.arithmetic_class = "virtual";
    machine.node.limits = random_limits(random);
    machine.node.seed = wanted.seed;
    machine.gflops = random_gflops(random);
    if (random.chance(0.5)) machine.clock_offset = milliseconds(random.between(0, 1'000'000));
    options.machines.push_back(machine);
  }
  Random audits(sim::mix(wanted.seed, 0xa0d17));  // apart: seeds keep all else that they draw
  const double share = audits.chance(0.25) ? audits.uniform() : 0.0;
  Random tables(sim::mix(wanted.seed, 0x7ab1e)), patience(sim::mix(wanted.seed, 0x9a7e));
  for (Machine& machine : options.machines) {
    machine.node.limits.audit_share = share;
    machine.node.limits.plans = static_cast<size_t>(tables.between(4, 12));
    machine.node.limits.most_silence_allowed =
        machine.node.limits.silence_allowed * patience.between(1, 3);
    machine.node.limits.weights_looked_through = weights_looked_through;
  }
  return options;
}

Plan random_plan(const Model& model, const ClusterOptions& cluster, Random& random) {
  Cluster homes;
  for (const Machine& machine : cluster.machines)
    if (homes.nodes.empty() || random.chance(0.8))
      homes.nodes.push_back({machine.node.id, machine.gflops, 100.0, 0});
  PlanOptions options;
  for (uint32_t layer = 0; layer + 1 < model.layers.size(); ++layer)
    if (random.chance(0.3)) options.cut_after.push_back({layer});
  options.grid = {random.between(1, 4), random.between(1, 4)};
  return grid_plan(model, homes, options);
}

void add_frames(VirtualCluster& cluster, NodeId owner, const Plan& plan, Random& random) {
  const PlanHash hash = hash_of(plan);
  cluster.propose(at_ms(1), owner, plan);
  const auto frames = [&](Time first, int32_t count, int32_t period) {
    for (int32_t frame = 0; frame < count; ++frame)
      cluster.capture(first + milliseconds(frame * period), owner, hash, milliseconds(200));
  };
  frames(at_ms(2), random.between(1, 6), random.between(0, 100));
  frames(at_ms(500), random.between(0, 6), random.between(0, 400));
  cluster.propose(calm + milliseconds(10), owner, plan);  // it may have been started anew
  frames(settled, random.between(1, 3), random.between(0, 100));
}

size_t orphans(const VirtualCluster& cluster) {
  return count(cluster.history(), sim::FrameEvent::Kind::captured) - cluster.fates().captured;
}

void judge(const VirtualCluster& cluster, bool at_rest, const Saboteur& saboteur,
           Verdict& verdict) {
  verdict.violations = cluster.breaches();
  const auto say = [&](std::string sentence) { verdict.violations.push_back(std::move(sentence)); };
  for (std::string& defect : defects(cluster.history())) say(std::move(defect));
  if (!at_rest) say("the cluster did not come to rest");
  if (cluster.canvases_left() > 0)
    say(std::to_string(cluster.canvases_left()) + " canvases were left lying");
  for (const sim::FrameEvent& event : cluster.history()) {
    if (event.kind != sim::FrameEvent::Kind::aborted) continue;
    const bool untold = event.sentence.find("was not proposed here") != std::string::npos;
    if (!untold && !saboteur.excuses(event.sentence))
      say("a frame was given up: " + event.sentence);
  }
  const size_t late = count(cluster.history(), sim::FrameEvent::Kind::aborted, settled);
  if (late > 0) say(std::to_string(late) + " frames were aborted although all was mended");
}

}  // namespace

Verdict run(const Options& options) {
  networks::Random model_random(options.seed);
  const Model model = networks::random_model(model_random);
  Random random(options.seed);
  ClusterOptions drawn = random_cluster(options, random);
  std::vector<NodeId> blamed;
  drawn.on_report = [&](NodeId, const Report& report) {
    if (report.kind == Report::Kind::node_distrusted) blamed.push_back(report.node);
  };
  Random second(sim::mix(options.seed, 0x2d0de1));  // apart as well
  const bool two_models =                           // executors take one
      options.contents != sim::Contents::full && second.chance(0.15);
  if (two_models)
    for (Machine& machine : drawn.machines) machine.node.limits.plans = max_plans;
  VirtualCluster cluster(drawn, model);
  const size_t machines = drawn.machines.size();
  const auto owners = static_cast<uint32_t>(random.between(1, machines > 1 ? 2 : 1));
  for (uint32_t owner = 0; owner < owners; ++owner)
    add_frames(cluster, {owner}, random_plan(model, drawn, random), random);
  std::optional<Model> other;  // between the first one's frames
  if (two_models) {
    other = networks::random_model(model_random);
    cluster.add_model(*other);
    add_frames(cluster, {0}, random_plan(*other, drawn, second), second);
  }
  Verdict verdict;
  Saboteur saboteur(cluster, machines, random);
  if (options.faults) {
    verdict.faults = static_cast<uint64_t>(random.between(1, 5));
    for (uint64_t i = 0; i < verdict.faults; ++i) saboteur.strike();
    if (random.chance(0.1)) saboteur.tangle();
    if (drawn.machines.front().node.limits.audit_share > 0.0 && random.chance(0.5))
      saboteur.spoil(Random(sim::mix(options.seed, 0x7417f)).chance(0.5));
    Random weights(sim::mix(options.seed, 0x3e195));                           // apart as well
    if (weights.chance(0.1) && !saboteur.spoils()) saboteur.damage_weights();  // one errs, not two
    saboteur.mend_all();
  }
  cluster.run(settled);
  const uint64_t wrong = cluster.wrong_frames();
  const bool at_rest = cluster.run(Time{} + rest_awaited);
  judge(cluster, at_rest, saboteur, verdict);
  if (cluster.wrong_frames() > wrong && !saboteur.spoils())
    verdict.violations.emplace_back("a frame is wrong although all weights were packed again");
  for (const NodeId node : blamed)
    if (!saboteur.has_spoilt(node))
      verdict.violations.push_back("node " + std::to_string(node.value) + " is blamed unjustly");
  const VirtualCluster::Fates& fates = cluster.fates();
  verdict.captured = fates.captured;
  verdict.delivered = fates.delivered;
  verdict.dropped = fates.dropped;
  verdict.aborted = fates.aborted;
  verdict.orphaned = orphans(cluster);
  verdict.trace_hash = cluster.trace_hash();
  verdict.events = cluster.events();
  verdict.virtual_time = cluster.now().time_since_epoch();
  verdict.trace = cluster.trace();
  for (const Machine& machine : drawn.machines)
    if (cluster.is_up(machine.node.id))
      verdict.stolen += cluster.node(machine.node.id).counters().tiles_stolen;
  return verdict;
}

}  // namespace shingle::swarm

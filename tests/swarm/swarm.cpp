#include "tests/swarm/swarm.hpp"

#include <algorithm>
#include <deque>

#include "devices/native/reference.hpp"
#include "sim/random.hpp"
#include "tests/networks/networks.hpp"
#include "tests/swarm/judge.hpp"
#include "tests/swarm/streams.hpp"

namespace shingle::swarm {

namespace {

using sim::ClusterOptions;
using sim::Machine;
using sim::Random;
using sim::VirtualCluster;
using std::chrono::milliseconds;

// A machine whose weights changed finds this before `settled`.
constexpr Duration weights_looked_through = std::chrono::seconds(2);

// `first_tile_allowed` also limits how long a home may leave a frame without a slot. So it is the
// time of the longest tile plus this.
constexpr Duration slots_may_take = std::chrono::minutes(1);

constexpr Duration rest_awaited = std::chrono::minutes(15);
// The longest time for the frames of a cluster with a Byzantine member. Such a member may keep its
// grants: it delays each frame of each model by a minute, and a minute later it is asked again.
// Large seeds have about forty frames in a row.
constexpr Duration patience_with_lies = std::chrono::minutes(90);

NodeLimits random_limits(Random& random) {
  NodeLimits limits;
  limits.compute_slots = static_cast<uint32_t>(random.between(1, 2));
  limits.open_frames = static_cast<uint32_t>(random.between(1, 4));
  limits.waiting_frames = static_cast<uint32_t>(random.between(1, 4));
  limits.drop = random.chance(0.5) ? DropPolicy::drop_oldest : DropPolicy::refuse_newest;
  limits.frame_slots = static_cast<uint32_t>(random.between(1, 5));
  limits.link_credit_bytes = random.between(1000, 100'000);
  limits.steals = random.chance(0.8);
  limits.steal_keep = static_cast<uint32_t>(random.between(0, 2));
  limits.link_bytes_per_second = random.chance(0.5) ? 1'000'000'000 : 1'000'000;
  limits.silence_allowed = milliseconds(random.between(300, 1500));
  return limits;
}

// Some boards are so slow that all other boards borrow their tiles.
double random_gflops(Random& random) {
  return random.chance(0.3) ? 0.0005 : 0.002 * random.between(1, 40);
}

ClusterOptions random_cluster(const Options& wanted, Random& random, bool large) {
  ClusterOptions options;
  options.seed = wanted.seed;
  options.contents = wanted.contents;
  options.keep_trace = wanted.keep_trace;
  options.make_executor = [] { return std::make_unique<ReferenceExecutor>(); };
  options.network.latency = std::chrono::microseconds(random.between(10, 5000));
  options.network.bytes_per_second = random.between(100'000, 20'000'000);
  options.network.loss = random.chance(0.3) ? 0.02 : 0.0;
  const auto drawn = static_cast<uint32_t>(large ? random.between(9, 16) : random.between(1, 8));
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
  Random audits(sim::mix(wanted.seed, 0xa0d17));  // its own generator: other draws stay
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

size_t orphans(const VirtualCluster& cluster) {
  return count(cluster.history(), sim::FrameEvent::Kind::captured) - cluster.fates().captured;
}

// All that a seed draws before the run. It must outlive the cluster.
struct Drawn {
  Drawn(const Options& wanted);

  const bool later_draws, large;
  std::deque<Model> models;
  Random random;
  ClusterOptions cluster;
  std::vector<Stream> streams;

 private:
  void draw_small(const Options& wanted, networks::Random& model_random);
  void draw_large(const Options& wanted, networks::Random& model_random);
  void draw_plans(uint64_t seed);
};

Drawn::Drawn(const Options& wanted)
    : later_draws(!wanted.first_draws),
      large(later_draws && wanted.contents != sim::Contents::full &&
            (wanted.large || (wanted.seed % 50 == 0 && wanted.machines == 0))),
      random(wanted.seed) {
  networks::Random model_random(wanted.seed);
  const bool wide = later_draws && Random(sim::mix(wanted.seed, 0x31de)).chance(0.25);
  models.push_back(
      wide ? networks::random_wide_model(model_random, wanted.operators)  // with Winograd's layers
           : networks::random_model(model_random, wanted.operators));
  cluster = random_cluster(wanted, random, large);
  if (large)
    draw_large(wanted, model_random);
  else
    draw_small(wanted, model_random);
  if (!later_draws) return;
  draw_plans(wanted.seed);
}

void Drawn::draw_small(const Options& wanted, networks::Random& model_random) {
  Random second(sim::mix(wanted.seed, 0x2d0de1));  // its own generator as well
  const bool two_models =                          // an executor takes one model only
      wanted.contents != sim::Contents::full && second.chance(0.15);
  if (two_models)
    for (Machine& machine : cluster.machines) machine.node.limits.plans = max_plans;
  const auto owners = static_cast<uint32_t>(random.between(1, cluster.machines.size() > 1 ? 2 : 1));
  for (uint32_t owner = 0; owner < owners; ++owner)
    streams.push_back(grid_stream(models.front(), {owner}, {cluster, random}));
  if (!two_models) return;
  models.push_back(
      networks::random_model(model_random, wanted.operators));  // between the first one's frames
  streams.push_back(grid_stream(models.back(), {0}, {cluster, second}));
}

void Drawn::draw_large(const Options& wanted, networks::Random& model_random) {
  for (Machine& machine : cluster.machines) {
    machine.node.limits.plans = max_plans;
    machine.node.limits.waiting_frames = static_cast<uint32_t>(random.between(4, 200));
  }
  for (int32_t more = random.between(0, 3); more > 0; --more)
    models.push_back(networks::random_model(model_random, wanted.operators));
  const int32_t owners = random.between(1, 4);
  for (int32_t i = std::max(owners, static_cast<int32_t>(models.size())); i > 0; --i)
    streams.push_back(grid_stream(models[static_cast<size_t>(i) % models.size()],
                                  {static_cast<uint32_t>(i % owners)}, {cluster, random, true}));
}

// With a generator of its own. Nodes then hold as many plans as they can: some seeds draw a limit
// that is too low for a rotation and its stand-ins.
void Drawn::draw_plans(uint64_t seed) {
  Random plans(sim::mix(seed, 0x91a45));
  bool many = false;
  for (Stream& stream : streams) {
    const double kind = plans.uniform();
    const PlanDraw draw = kind < 0.4    ? PlanDraw::grid
                          : kind < 0.75 ? PlanDraw::layouts
                          : kind < 0.9  ? PlanDraw::rotation
                                        : PlanDraw::planner;
    many = many || draw != PlanDraw::grid;
    const auto model = std::find_if(models.begin(), models.end(), [&](const Model& each) {
      return each.hash == stream.rotations.front().front().plan.model;
    });
    take_planners_plans(stream, *model, draw, {cluster, plans});
  }
  Duration longest{};
  for (const Stream& stream : streams) longest = std::max(longest, longest_tile(stream, cluster));
  for (Machine& machine : cluster.machines) {
    machine.node.limits.first_tile_allowed = 4 * longest + slots_may_take;
    if (many) machine.node.limits.plans = max_plans;
  }
}

void inject_faults(FaultInjector& injector, const Options& options, Drawn& drawn,
                   Verdict& verdict) {
  Random& random = drawn.random;
  verdict.faults = static_cast<uint64_t>(random.between(1, 5));
  for (uint64_t i = 0; i < verdict.faults; ++i) injector.strike(drawn.later_draws);
  if (random.chance(0.1)) injector.tangle();
  if (drawn.cluster.machines.front().node.limits.audit_share > 0.0 && random.chance(0.5))
    injector.spoil(Random(sim::mix(options.seed, 0x7417f)).chance(0.5));
  Random weights(sim::mix(options.seed, 0x3e195));                           // independent
  if (weights.chance(0.1) && !injector.spoils()) injector.damage_weights();  // one errs, not two
  Random lasting(sim::mix(options.seed, 0x1a571)), lies(sim::mix(options.seed, 0x11e5));
  if (drawn.later_draws && lasting.chance(0.35)) injector.abandon_some(lasting);
  const bool may_lie = drawn.later_draws && drawn.cluster.machines.size() > 2 &&
                       !injector.spoils() && options.contents != sim::Contents::full;
  verdict.abandoned = injector.abandons();
  verdict.lied = may_lie && lies.chance(0.1);
  if (verdict.lied) injector.have_one_lie(lies);
  injector.mend_all();
}

// It may leave others waiting for what it began: that is over when it goes. But their frames must
// have ended before.
void part_with(VirtualCluster& cluster, NodeId liar, const FaultInjector& injector,
               Verdict& verdict) {
  Time until = settled + milliseconds(100) * 200;
  while (!cluster.run(until) && unended(cluster, injector) > 0 &&
         until < settled + patience_with_lies)
    until += std::chrono::seconds(10);
  judge_unended(cluster, injector, verdict);
  cluster.abandon(until, liar);
  cluster.crash(until, liar);
}

void count_plans(const Drawn& drawn, Verdict& verdict) {
  for (const Stream& stream : drawn.streams) {
    verdict.replans += stream.rotations.size() - 1;
    for (const Rotation& rotation : stream.rotations) {
      verdict.rotations += rotation.size() > 1 ? 1 : 0;
      for (const Turn& turn : rotation)
        for (const Model& model : drawn.models)
          if (model.hash == turn.plan.model) verdict.plans += networks::kinds_of(turn.plan, model);
    }
  }
}

}  // namespace

Verdict run(const Options& options) {
  Drawn drawn(options);
  std::vector<NodeId> blamed;
  FaultInjector* faults = nullptr;
  VirtualCluster* running = nullptr;
  const bool lossy = drawn.cluster.network.loss > 0.0;
  drawn.cluster.on_report = [&](NodeId, const Report& report) {
    if (report.kind == Report::Kind::node_distrusted) blamed.push_back(report.node);
    const bool silent = report.sentence.find("nothing was heard of it") != std::string::npos;
    if (lossy && silent && faults != nullptr) faults->note_silence(running->now());
  };
  VirtualCluster cluster(drawn.cluster, drawn.models.front());
  for (size_t i = 1; i < drawn.models.size(); ++i) cluster.add_model(drawn.models[i]);
  for (const Stream& stream : drawn.streams) play(cluster, stream);
  Verdict verdict;
  FaultInjector injector(cluster, drawn.cluster.machines.size(), drawn.random);
  faults = &injector;
  running = &cluster;
  if (options.faults) inject_faults(injector, options, drawn, verdict);
  for (const Stream& stream : drawn.streams)
    if (!drawn.later_draws || injector.starts_anew(stream.owner)) propose_again(cluster, stream);
  verdict.story = injector.story();
  cluster.run(settled);
  if (const auto liar = injector.liar()) part_with(cluster, *liar, injector, verdict);
  const Duration first = drawn.cluster.machines.front().node.limits.first_tile_allowed;
  const bool at_rest = cluster.run(cluster.now() + rest_awaited + 2 * first);
  judge(cluster, at_rest, injector, verdict);
  // A frame that was open while weights were wrong may be wrong, however late it is delivered.
  if (cluster.wrong_frames(settled) > 0 && !injector.errs_for_ever())
    verdict.violations.emplace_back("a frame is wrong although all weights were packed again");
  for (const NodeId node : blamed)
    if (!injector.has_spoilt(node))
      verdict.violations.push_back("node " + std::to_string(node.value) + " is blamed unjustly");
  verdict.large = drawn.large;
  count_plans(drawn, verdict);
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
  for (const Machine& machine : drawn.cluster.machines)
    if (cluster.is_up(machine.node.id))
      verdict.stolen += cluster.node(machine.node.id).counters().tiles_stolen;
  return verdict;
}

}  // namespace shingle::swarm

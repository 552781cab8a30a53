#include "tests/swarm/driver_swarm.hpp"

#include <algorithm>

#include "partition/search/planner.hpp"
#include "sim/tensors.hpp"
#include "tests/networks/networks.hpp"
#include "tests/swarm/driver_mischief.hpp"

namespace shingle::swarm {

namespace {

using sim::Random;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Time frames_end = driver_settled + seconds(1);
// The longest time for a frame with a healthy core: the silence until a home is taken for lost, the
// end of a connection, and the frames before it. The run waits so long for the last frames.
constexpr Duration frame_bound = seconds(8);
constexpr Time judged = frames_end + frame_bound;
constexpr Duration rest = milliseconds(500);  // after the last frame: canvases are released

Picture picture_of(const Model& model, uint64_t seed) {
  const Tensor& input = model.at(model.inputs.front());
  return std::make_shared<const std::vector<std::byte>>(
      sim::random_tensor(input.shape, input.type, seed));
}

NodeLimits random_limits(Random& random) {
  NodeLimits limits;
  limits.open_frames = static_cast<uint32_t>(random.between(1, 4));
  limits.waiting_frames = limits.open_frames;
  limits.drop = DropPolicy::refuse_newest;  // as the client library does
  limits.frame_slots = static_cast<uint32_t>(random.between(1, 5));
  limits.link_credit_bytes = random.between(2000, 200'000);
  limits.steals = random.chance(0.8);
  limits.silence_allowed = milliseconds(random.between(300, 800));
  limits.most_silence_allowed = limits.silence_allowed * random.between(1, 2);
  limits.weights_looked_through = seconds(1);
  limits.audit_share = random.chance(0.2) ? random.uniform() : 0.0;
  return limits;
}

MachineSpec random_machine(uint32_t id, uint32_t count, uint64_t seed, Random& random) {
  MachineSpec spec;
  spec.node.id = {id};
  spec.node.name = "node " + std::to_string(id);
  spec.node.arithmetic_class = "reference";
  spec.node.seed = seed;
  for (uint32_t member = 0; member < count; ++member) spec.node.members.push_back({member});
  spec.node.limits = random_limits(random);
  spec.slots = static_cast<size_t>(random.between(1, 2));
  if (random.chance(0.3)) spec.inbox.peer_messages = random.between(30, 100);
  if (random.chance(0.2)) spec.inbox.peer_bytes = random.between(40'000, 120'000);
  if (random.chance(0.5)) spec.clock_offset = milliseconds(random.between(0, 1'000'000));
  return spec;
}

Plan random_plan(const Model& model, const std::vector<NodeId>& able, Random& random) {
  Cluster homes;
  for (const NodeId id : able)
    if (random.chance(0.7)) homes.nodes.push_back({.id = id, .gflops = 1.0 * random.between(1, 4)});
  if (homes.nodes.empty()) homes.nodes.push_back({.id = able[random.next() % able.size()]});
  PlanOptions options;
  for (uint32_t layer = 0; layer + 1 < model.layers.size(); ++layer)
    if (random.chance(0.3)) options.cut_after.push_back({layer});
  options.grid = {random.between(1, 3), random.between(1, 3)};
  return grid_plan(model, homes, options);
}

Rotation random_rotation(const Model& model, const std::vector<NodeId>& able, Random& random) {
  Rotation rotation;
  for (int32_t left = random.chance(0.3) ? 2 : 1; left > 0; --left) {
    Plan plan = random_plan(model, able, random);
    const bool there = std::ranges::any_of(
        rotation, [&](const Turn& turn) { return hash_of(turn.plan) == hash_of(plan); });
    if (!there) rotation.push_back({std::move(plan), random.between(1, 3)});
  }
  return rotation;
}

StreamSpec random_stream(std::shared_ptr<const Model> model, const std::vector<NodeId>& able,
                         uint32_t open_frames, Random& random) {
  StreamSpec stream;
  stream.model = std::move(model);
  const bool restless = random.chance(0.15);  // more plans than any node keeps
  const int32_t rotations = restless ? 40 : random.between(1, 4);
  for (int32_t i = 0; i < rotations; ++i)
    stream.rotations.push_back(random_rotation(*stream.model, able, random));
  stream.between_changes = milliseconds(restless ? 250 : random.between(300, 4000));
  stream.between_frames = milliseconds(random.between(40, 500));
  stream.open_frames = open_frames;
  if (random.chance(0.2)) stream.deadline = milliseconds(random.between(5, 1000));
  stream.end = frames_end;
  for (uint64_t i = 0; i < 2; ++i)
    stream.pictures.push_back(picture_of(*stream.model, random.next()));
  return stream;
}

std::shared_ptr<const Model> random_small_model(Random& random) {
  if (random.chance(0.5))
    return std::make_shared<const Model>(
        networks::make("tiny", random.between(2, 4) * 8, random.next()).value());
  networks::Random layers(random.next());
  return std::make_shared<const Model>(networks::random_model(layers));
}

struct Drawn {
  std::vector<std::shared_ptr<const Model>> models;
  std::vector<MachineSpec> specs;
  WireOptions wires;
  bool has_core = false;
};

Drawn draw(const DriverOptionsOfRun& options, Random& random) {
  Drawn drawn;
  const auto count =
      static_cast<uint32_t>(random.chance(0.1) ? random.between(6, 9) : random.between(1, 5));
  drawn.wires.latency = std::chrono::microseconds(random.between(20, 3000));
  drawn.wires.bytes_per_second = random.between(1'000'000, 100'000'000);
  for (uint32_t id = 0; id < count; ++id)
    drawn.specs.push_back(random_machine(id, count, options.seed, random));
  // The same number for all nodes: a home that keeps fewer plans than its owner offers would give
  // up one for the next, again and again.
  if (random.chance(0.5))
    for (const auto plans = static_cast<size_t>(random.between(6, 12));
         MachineSpec & spec : drawn.specs)
      spec.node.limits.plans = plans;
  const uint32_t owners = count > 2 && random.chance(0.4) ? 2 : 1;
  drawn.models.push_back(random_small_model(random));
  if (owners == 2 && random.chance(0.5)) drawn.models.push_back(random_small_model(random));
  if (count > owners && random.chance(0.3))
    drawn.specs.front().slots = 0;  // it owns frames and computes nothing
  drawn.has_core = options.mischief && count >= 3 && random.chance(0.35);
  std::vector<NodeId> able;
  for (MachineSpec& spec : drawn.specs) {
    spec.models = drawn.models;
    if (spec.slots > 0) able.push_back(spec.node.id);
  }
  for (uint32_t owner = 0; owner < owners; ++owner) {
    MachineSpec& spec = drawn.specs[owner];
    spec.stream = random_stream(drawn.models[owner % drawn.models.size()], able,
                                spec.node.limits.open_frames, random);
  }
  return drawn;
}

// Checks the frames that were captured after the faults, or with lasting faults only.
void judge_delays(const DriverCluster& cluster, DriverVerdict& verdict) {
  size_t frames = 0;
  for (const sim::FrameEvent& event : cluster.history()) {
    if (event.kind != sim::FrameEvent::Kind::captured || event.at < driver_settled) continue;
    ++frames;
    const auto delay = cluster.delays().find(event.key);
    const Duration took = delay == cluster.delays().end() ? frame_bound : delay->second;
    verdict.longest_delay = std::max(verdict.longest_delay, took);
    if (took >= frame_bound)
      verdict.violations.push_back("frame " + std::to_string(event.key.owner.value) + ":" +
                                   std::to_string(event.key.frame) +
                                   " was not delivered within its bound");
  }
  if (frames == 0) verdict.violations.emplace_back("no stream goes on although all was mended");
}

void judge_ends(const DriverCluster& cluster, const Mischief& mischief, DriverVerdict& verdict) {
  const auto judge = [&](Time at, const std::string& what, const std::string& sentence) {
    if (at >= driver_settled || !mischief.excuses(sentence))
      verdict.violations.push_back(what + " ended: " + sentence);
  };
  for (const sim::FrameEvent& event : cluster.history())
    if (event.kind == sim::FrameEvent::Kind::dropped ||
        event.kind == sim::FrameEvent::Kind::aborted)
      judge(event.at, "a frame", event.sentence);
  for (const DriverCluster::Ended& stream : cluster.ended_streams())
    judge(stream.at, "a stream", stream.why);
}

// REQUIRES: all frames have ended.
void judge_rest(const DriverCluster& cluster, bool has_core, DriverVerdict& verdict) {
  for (const auto& machine : cluster.machines()) {
    if (!machine->life || has_core) continue;  // a node that is cut off for ever keeps its canvases
    const Driver& driver = machine->life->driver();
    const std::string who = "node " + std::to_string(machine->spec.node.id.value);
    if (!driver.node().idle()) verdict.violations.push_back(who + " is not at rest");
    if (driver.canvases().count() > 0)
      verdict.violations.push_back(who + " kept " + std::to_string(driver.canvases().count()) +
                                   " canvases");
  }
}

void judge_memory(const Drawn& drawn, size_t machines, DriverVerdict& verdict) {
  // The caller of this function, each process, each plan and each slot hold a reference.
  for (const auto& model : drawn.models)
    if (static_cast<size_t>(model.use_count()) > 10 + machines * (max_plans + 8))
      verdict.violations.push_back("a model is held " + std::to_string(model.use_count()) +
                                   " times after many replans");
}

void judge_leaks(const std::vector<std::weak_ptr<const Model>>& models, DriverVerdict& verdict) {
  for (const auto& model : models)
    if (!model.expired())
      verdict.violations.emplace_back("a model outlives all processes: something holds its plans");
}

void add_up(DriverCluster& cluster, DriverVerdict& verdict) {
  using Kind = sim::FrameEvent::Kind;
  verdict.captured = count(cluster.history(), Kind::captured);
  verdict.delivered = count(cluster.history(), Kind::delivered);
  verdict.ended_otherwise =
      count(cluster.history(), Kind::dropped) + count(cluster.history(), Kind::aborted);
  verdict.died = verdict.captured - verdict.delivered - verdict.ended_otherwise;
  verdict.ended_streams = cluster.ended_streams().size();
  verdict.switches = cluster.switches();
  verdict.lives = cluster.lives();
  verdict.lost_connections = cluster.wires().lost_connections();
  verdict.refused_messages = cluster.wires().refused();
  verdict.hash = cluster.hash();
  verdict.events = cluster.stage().events();
  verdict.virtual_time = cluster.stage().now().time_since_epoch();
}

void judge(DriverCluster& cluster, const Drawn& drawn, const Mischief& mischief,
           DriverVerdict& verdict) {
  for (const std::string& violation : cluster.violations()) verdict.violations.push_back(violation);
  for (const std::string& breach : cluster.stage().breaches()) verdict.violations.push_back(breach);
  for (std::string& defect : sim::defects(cluster.history()))
    verdict.violations.push_back(std::move(defect));
  judge_delays(cluster, verdict);
  judge_ends(cluster, mischief, verdict);
  judge_rest(cluster, drawn.has_core, verdict);
  judge_memory(drawn, cluster.machines().size(), verdict);
}

}  // namespace

DriverVerdict run_drivers(const DriverOptionsOfRun& options) {
  Random random(sim::mix(options.seed, 0xd1e5));
  DriverVerdict verdict;
  std::vector<std::weak_ptr<const Model>> models;
  {
    Drawn drawn = draw(options, random);
    models.assign(drawn.models.begin(), drawn.models.end());
    DriverCluster cluster(options.seed, drawn.wires, drawn.specs);
    Mischief mischief(cluster, random);
    verdict.has_core = drawn.has_core;
    if (drawn.has_core)
      mischief.strike_for_ever();
    else if (options.mischief)
      for (int32_t left = random.between(1, 5); left > 0; --left) mischief.strike();
    if (!drawn.has_core) mischief.mend_all();
    for (const auto& machine : cluster.machines()) machine->nature.spoils = options.spoils;
    for (const MachineSpec& spec : drawn.specs) cluster.start(spec.node.id);
    cluster.run(frames_end + rest);
    cluster.run(cluster.all_ended() ? frames_end + 2 * rest : judged);
    judge(cluster, drawn, mischief, verdict);
    verdict.strikes = mischief.strikes();
    for (const auto& machine : cluster.machines()) cluster.stop(machine->spec.node.id, false);
    add_up(cluster, verdict);
    for (const auto& machine : cluster.machines())
      if (machine->nature.executors != 0)
        verdict.violations.emplace_back("an executor outlives its process");
  }
  judge_leaks(models, verdict);
  return verdict;
}

}  // namespace shingle::swarm

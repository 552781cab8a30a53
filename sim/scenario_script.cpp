#include "sim/scenario_script.hpp"

#include <algorithm>
#include <cstdio>

#include "partition/search/planner.hpp"
#include "sim/scenario_words.hpp"

namespace shingle::sim {

namespace {

constexpr int64_t most_frames = 10'000;
constexpr int largest_grid = 1024;

void read_model(Script& script, Words& words) {
  const std::string shape = words.word();
  std::vector<std::string> layers;
  while (!words.empty()) layers.push_back(words.word());
  script.model = described_model(shape, layers);
  if (!script.model) words.reject();
}

void read_link(Script& script, Words& words) {
  EqualLinks& network = script.options.network;
  while (!words.empty() && !words.bad()) {
    if (words.accept("latency"))
      network.latency = words.duration();
    else if (words.accept("rate"))
      network.bytes_per_second = words.rate();
    else if (words.accept("loss"))
      network.loss = words.number();
    else if (words.accept("retransmission"))
      script.options.tcp.least_timeout = words.duration();
    else
      words.reject();
  }
}

void read_limits(Script& script, Words& words) {
  NodeLimits& limits = script.limits;
  const auto count = [&] { return static_cast<uint32_t>(words.integer()); };
  while (!words.empty() && !words.bad()) {
    if (words.accept("open"))
      limits.open_frames = count();
    else if (words.accept("waiting"))
      limits.waiting_frames = count();
    else if (words.accept("slots"))
      limits.frame_slots = count();
    else if (words.accept("plans"))
      limits.plans = std::clamp<size_t>(count(), 2, max_plans);
    else if (words.accept("keep"))
      limits.steal_keep = count();
    else if (words.accept("credit"))
      limits.link_credit_bytes = words.integer();
    else if (words.accept("weights"))
      limits.weights_looked_through = words.duration();
    else if (words.accept("silence"))
      limits.silence_allowed = words.duration();
    else if (words.accept("answer"))
      limits.answer_awaited = words.duration();
    else if (words.accept("drop"))
      limits.drop = words.accept("oldest") ? DropPolicy::drop_oldest
                                           : (words.expect("newest"), DropPolicy::refuse_newest);
    else if (words.accept("steal"))
      limits.steals = words.accept("on") || (words.expect("off"), false);
    else
      words.reject();
  }
}

void read_node(Script& script, Words& words) {
  Machine machine;
  machine.node.id = {static_cast<uint32_t>(words.integer())};
  machine.node.arithmetic_class = "virtual";
  machine.node.limits = script.limits;
  while (!words.empty() && !words.bad()) {
    if (words.accept("gflops"))
      machine.gflops = std::max(words.number(), 1e-6);
    else if (words.accept("slots"))
      machine.node.limits.compute_slots = static_cast<uint32_t>(words.integer());
    else if (words.accept("name"))
      machine.node.name = words.word();
    else if (words.accept("rate"))
      machine.bytes_per_second = words.rate();
    else if (words.accept("models"))
      words.expect("no"), machine.has_models = false;
    else
      words.reject();
  }
  const auto& machines = script.options.machines;
  if (!machines.empty() && machine.node.id <= machines.back().node.id) return words.reject();
  script.options.machines.push_back(machine);
}

void read_plan(Script& script, Words& words) {
  const std::string name = words.word();
  Cluster homes;
  PlanOptions options;
  words.expect("homes");
  for (const uint32_t id : words.integers()) homes.nodes.push_back({NodeId{id}, 1.0, 100.0, 0});
  if (words.accept("grid")) {
    if (std::sscanf(words.word().c_str(), "%dx%d", &options.grid.rows, &options.grid.columns) != 2)
      return words.reject();
  }
  if (words.accept("cut"))
    for (const uint32_t layer : words.integers()) options.cut_after.push_back({layer});
  const bool sane = options.grid.rows > 0 && options.grid.columns > 0 &&
                    options.grid.rows <= largest_grid && options.grid.columns <= largest_grid;
  if (!script.model || homes.nodes.empty() || !sane) return words.reject();
  for (const LayerId layer : options.cut_after)
    if (layer.value >= script.model->layers.size()) return words.reject();
  script.plans[name] = grid_plan(*script.model, homes, options);
}

class Reader {
 public:
  explicit Reader(Script& script) : script_(script) {}

  Status read(std::string_view text) {
    int line_number = 0;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line_number;
      Words words(line);
      if (words.empty()) continue;
      read_line(words);
      if (words.bad() || !words.empty())
        return Error{"Line " + std::to_string(line_number) +
                     " of the scenario is not understood: '" + line + "'."};
    }
    if (!script_.model) return Error{"The scenario has no model."};
    return success();
  }

 private:
  void read_line(Words& words) {
    const std::string command = words.word();
    if (command == "seed")
      script_.options.seed = static_cast<uint64_t>(words.integer());
    else if (command == "until")
      script_.until = words.duration();
    else if (command == "link")
      read_link(script_, words);
    else if (command == "limits")
      read_limits(script_, words);
    else if (command == "node")
      read_node(script_, words);
    else if (command == "model")
      read_model(script_, words);
    else if (command == "plan")
      read_plan(script_, words);
    else if (command == "propose")
      read_propose(words);
    else if (command == "withdraw")
      read_withdraw(words);
    else if (command == "frames")
      read_frames(words);
    else if (command == "show")
      read_show(words);
    else
      read_turn(command, words);
  }

  NodeId node(Words& words) {
    const NodeId id{static_cast<uint32_t>(words.integer())};
    const auto& machines = script_.options.machines;
    const bool there = std::any_of(machines.begin(), machines.end(),
                                   [&](const Machine& machine) { return machine.node.id == id; });
    if (!there) words.reject();
    return id;
  }

  Time at(Words& words) {
    words.expect("at");
    return Time{} + words.duration();
  }

  template <class Action>
  void then(const Words& words, Action action) {
    if (!words.bad()) script_.events.emplace_back(std::move(action));
  }

  const Plan* plan(Words& words) {
    const auto place = script_.plans.find(words.word());
    if (place == script_.plans.end()) return words.reject(), nullptr;
    return &place->second;
  }

  void read_propose(Words& words) {
    const NodeId owner = node(words);
    const Plan* proposed = plan(words);
    const Time time = at(words);
    then(words, [=](VirtualCluster& cluster) { cluster.propose(time, owner, *proposed); });
  }

  void read_withdraw(Words& words) {
    const NodeId owner = node(words);
    const Plan* withdrawn = plan(words);
    const Time time = at(words);
    then(words,
         [=](VirtualCluster& cluster) { cluster.withdraw(time, owner, hash_of(*withdrawn)); });
  }

  void read_frames(Words& words) {
    const NodeId owner = node(words);
    const Plan* used = plan(words);
    words.expect("count");
    const int64_t count = words.integer();
    words.expect("every");
    const Duration period = words.duration();
    words.expect("from");
    const Time first = Time{} + words.duration();
    const Duration time_left =
        words.accept("deadline") ? words.duration() : std::chrono::seconds(1);
    if (count < 1 || count > most_frames) return words.reject();
    then(words, [=](VirtualCluster& cluster) {
      for (int64_t i = 0; i < count; ++i)
        cluster.capture(first + i * period, owner, hash_of(*used), time_left);
    });
  }

  void read_turn(const std::string& command, Words& words) {
    using Simple = void (VirtualCluster::*)(Time, NodeId);
    static const auto& simple =
        *new std::map<std::string, Simple>{{"crash", &VirtualCluster::crash},
                                           {"restart", &VirtualCluster::restart},
                                           {"hang", &VirtualCluster::hang},
                                           {"wake", &VirtualCluster::wake},
                                           {"break", &VirtualCluster::break_executor},
                                           {"damage", &VirtualCluster::damage_weights},
                                           {"stall", &VirtualCluster::stall},
                                           {"resume", &VirtualCluster::resume}};
    if (const auto turn = simple.find(command); turn != simple.end()) {
      const NodeId subject = node(words);
      const Time time = at(words);
      const Simple happens = turn->second;
      return then(words, [=](VirtualCluster& cluster) { (cluster.*happens)(time, subject); });
    }
    if (command == "slow") {
      const NodeId subject = node(words);
      words.expect("by");
      const double factor = words.number();
      const Time time = at(words);
      return then(words, [=](VirtualCluster& cluster) { cluster.slow(time, subject, factor); });
    }
    if (command != "cut" && command != "mend") return words.reject();
    const NodeId a = node(words), b = node(words);
    const Time time = at(words);
    if (a == b) return words.reject();
    const auto happens =
        command == "cut" ? &VirtualCluster::disconnect : &VirtualCluster::reconnect;
    then(words, [=](VirtualCluster& cluster) { (cluster.*happens)(time, a, b); });
  }

  void read_show(Words& words) {
    while (!words.empty() && !words.bad()) {
      if (words.accept("computes"))
        script_.computes = true;
      else if (words.accept("messages"))
        script_.messages = true;
      else if (words.accept("pieces"))
        script_.pieces = true;
      else
        words.reject();
    }
  }

  Script& script_;
};

}  // namespace

Result<Script> read_script(std::string_view text) {
  Script script;
  const Status read = Reader(script).read(text);
  if (!read) return Error{read.error()};
  return script;
}

}  // namespace shingle::sim

#include "devices/files/experiment_file.hpp"

#include <algorithm>
#include <cmath>

#include "devices/files/cluster_table.hpp"
#include "devices/files/experiment_table.hpp"
#include "devices/files/toml_text.hpp"

namespace shingle {

namespace {

constexpr size_t largest_text = 1 << 20, most_entries = 4096;
constexpr double longest_seconds = 86'400.0;
constexpr Bounds moments{0.0, longest_seconds};
const auto& arrival_kinds =
    *new std::vector<std::string>{"periodic", "poisson", "trace", "back_to_back"};
const auto& goals = *new std::vector<std::string>{"latency", "throughput", "energy", "memory"};
const auto& drops = *new std::vector<std::string>{"oldest", "newest"};

std::string ids_of(const ClusterFile& cluster) {
  std::string list;
  for (const ClusterFileNode& node : cluster.nodes)
    list += (list.empty() ? "" : ", ") + std::to_string(node.id.value);
  return list;
}

bool has(const ClusterFile& cluster, NodeId id) {
  return std::ranges::any_of(cluster.nodes,
                             [&](const ClusterFileNode& node) { return node.id == id; });
}

// Reads the tables of one experiment.
class Reader {
 public:
  Reader(const toml::table& root, std::string file) : root_(root), file_(std::move(file)) {}

  Result<ExperimentFile> read() {
    for (auto part : {&Reader::read_root, &Reader::read_cluster_part, &Reader::check_traces,
                      &Reader::read_models, &Reader::read_sources, &Reader::read_policy,
                      &Reader::read_faults, &Reader::read_flows})
      if (const Status status = (this->*part)(); !status) return status.failure();
    if (out_.sources.empty() && out_.flows.empty())
      return Error{file_ +
                   ": the experiment has neither a [[source]] nor a [[flow]]: nothing "
                   "would happen"};
    return std::move(out_);
  }

 private:
  Status read_root();
  Status read_cluster_part();
  Status check_traces();
  Status read_models();
  Status read_sources();
  Status read_policy();
  Status read_faults();
  Status read_flows();
  ExperimentModel model(TomlTable& in, size_t index);
  ExperimentSource source(TomlTable& in);
  Arrivals arrivals(TomlTable& in);
  ExperimentFault fault(TomlTable& in);
  ExperimentFlow flow(TomlTable& in);
  NodeId node(TomlTable& in, std::string_view key);
  Duration moment(TomlTable& in, std::optional<Duration> otherwise);

  // Calls `read(table)` for each element of the list of tables; none: nothing.
  template <class Read>
  Status each(const char* key, const Read& read) {
    const toml::node* list = root_.get(key);
    if (list == nullptr) return success();
    const std::string what = std::string("[[") + key + "]]";
    const auto refusal = [&](const toml::node& at) {
      return Error{file_ + ":" + std::to_string(at.source().begin.line) + ": '" + key +
                   "' must be a list of tables: write " + what};
    };
    if (!list->is_array()) return refusal(*list);
    if (list->as_array()->size() > most_entries)
      return Error{file_ + ": more than " + std::to_string(most_entries) + " " + what};
    for (const toml::node& element : *list->as_array()) {
      if (!element.is_table()) return refusal(element);
      TomlTable in(*element.as_table(), file_, what);
      read(in);
      if (!in.status()) return in.status();
    }
    return success();
  }

  const toml::table& root_;
  const std::string file_;
  ExperimentFile out_;
};

Status Reader::read_root() {
  TomlTable in(root_, file_, "the experiment");
  std::vector<std::string> known{"title", "cluster", "duration", "warm_up", "seeds", "seed",
                                 "model", "source",  "policy",   "fault",   "flow"};
  known.insert(known.end(), cluster_keys().begin(), cluster_keys().end());
  in.refuse_keys_besides(known);
  out_.title = in.text("title", std::string(), true);
  out_.cluster_file = in.text("cluster", std::string(), true);
  for (const std::string& key : cluster_keys())
    if (in.has("cluster") && in.has(key))
      in.fail("cluster", "'cluster' names a file, and '" + key + "' is here as well: keep one");
  out_.duration = in.duration("duration", {1e-3, longest_seconds}, std::nullopt);
  const Duration usual = std::min<Duration>(out_.warm_up, out_.duration / 5);
  out_.warm_up = in.duration("warm_up", moments, usual);
  if (in.status().ok() && out_.warm_up >= out_.duration)
    in.fail("warm_up", "'warm_up' is as long as the experiment: nothing would be left to measure");
  out_.seeds = static_cast<uint32_t>(in.whole("seeds", {1, 10'000}, out_.seeds));
  out_.first_seed = static_cast<uint64_t>(in.whole("seed", {0, 1e15}, 1));
  return in.status();
}

Status Reader::read_cluster_part() {
  if (out_.cluster_file.empty()) {
    if (root_.get("node") == nullptr)
      return Error{file_ +
                   ": the experiment has no cluster; write cluster = \"FILE\", or [[node]]"};
    Result<ClusterFile> cluster = read_cluster(root_, file_, Ports::optional);
    if (!cluster) return cluster.failure();
    out_.cluster = std::move(*cluster);
    return success();
  }
  Result<ClusterFile> cluster = load_cluster(beside_file(file_, out_.cluster_file));
  if (!cluster) return cluster.failure();
  out_.cluster = std::move(*cluster);
  return success();
}

// A text without the quotes of a TOML file.
std::string plainly(Duration duration) {
  const std::string quoted = duration_text(duration);
  return quoted.substr(1, quoted.size() - 2);
}

Status Reader::check_traces() {
  for (const ClusterFileNode& node : out_.cluster.nodes)
    if (!node.rates.empty() && node.rates.back().at < out_.duration)
      return Error{file_ + ": the rate trace '" + node.rate_trace + "' of node " +
                   std::to_string(node.id.value) + " ends at " + plainly(node.rates.back().at) +
                   ", and the experiment after " + plainly(out_.duration) +
                   "; add a line for the end"};
  return success();
}

NodeId Reader::node(TomlTable& in, std::string_view key) {
  const NodeId id{static_cast<uint32_t>(in.whole(key, {0, 65535}, std::nullopt))};
  if (in.status().ok() && !has(out_.cluster, id))
    in.fail(key, "node " + std::to_string(id.value) + " is not in the cluster, which has " +
                     ids_of(out_.cluster));
  return id;
}

Duration Reader::moment(TomlTable& in, std::optional<Duration> otherwise) {
  const Duration at = in.duration("at", moments, otherwise);
  if (in.status().ok() && at >= out_.duration)
    in.fail("at", "the experiment ends before that, after " + plainly(out_.duration));
  return at;
}

ExperimentModel Reader::model(TomlTable& in, size_t index) {
  in.refuse_keys_besides({"name", "file", "input", "layers", "plan", "head"});
  ExperimentModel model;
  model.name = in.text("name", "model" + std::to_string(index + 1));
  model.file = in.text("file", std::string(), true);
  model.input = in.text("input", std::string());
  model.layers = in.words("layers");
  model.plan = in.text("plan", std::string(), true);
  model.head = in.text("head", model.head);
  const bool described = in.has("input") && in.has("layers");
  if (model.file.empty() == !described)
    in.fail("file", "a [[model]] has either a 'file', or an 'input' and its 'layers'");
  if (in.has("head") && model.file.empty())
    in.fail("head", "a model that is described by its layers has no head");
  for (const ExperimentModel& other : out_.models)
    if (other.name == model.name)
      in.fail("name", "two models have the name " + in_quotes(model.name));
  return model;
}

Status Reader::read_models() {
  return each("model",
              [&](TomlTable& in) { out_.models.push_back(model(in, out_.models.size())); });
}

Arrivals Reader::arrivals(TomlTable& in) {
  Arrivals arrivals;
  arrivals.kind = static_cast<Arrivals::Kind>(in.choice("arrivals", arrival_kinds, 0));
  const bool has_rate =
      arrivals.kind == Arrivals::Kind::periodic || arrivals.kind == Arrivals::Kind::poisson;
  const std::string kind = arrival_kinds[static_cast<size_t>(arrivals.kind)];
  if (!has_rate && in.has("rate")) in.fail("rate", "arrivals of kind '" + kind + "' have no rate");
  if (arrivals.kind != Arrivals::Kind::trace && in.has("times"))
    in.fail("times", "arrivals of kind '" + kind + "' have no times");
  if (has_rate) {
    arrivals.per_second = in.quantity("rate", frequencies, {0.0, 1e6}, std::nullopt);
    if (in.status().ok() && arrivals.per_second <= 0.0)
      in.fail("rate", "'rate' is 0: the source would have no frames; leave it out instead");
  }
  if (arrivals.kind != Arrivals::Kind::trace) return arrivals;
  arrivals.file = in.text("times", std::nullopt, true);
  if (!in.status()) return arrivals;
  Result<std::vector<Duration>> times = load_moments(beside_file(file_, arrivals.file));
  if (times)
    arrivals.times = std::move(*times);
  else
    in.fail("times", times.error());
  return arrivals;
}

ExperimentSource Reader::source(TomlTable& in) {
  in.refuse_keys_besides({"owner", "model", "arrivals", "rate", "times", "goal", "open_frames",
                          "waiting_frames", "drop", "deadline", "computes"});
  ExperimentSource source{.owner = node(in, "owner"), .model = {}};
  std::vector<std::string> names;
  for (const ExperimentModel& model : out_.models) names.push_back(model.name);
  if (names.empty()) in.fail("owner", "the experiment has no [[model]] for its [[source]]");
  if (names.size() > 1 || in.has("model")) {
    if (!in.has("model"))
      in.fail("owner", "there are several models: a [[source]] needs its 'model'");
    source.model = names.empty() ? std::string() : names[in.choice("model", names, 0)];
  } else if (!names.empty()) {
    source.model = names.front();
  }
  source.arrivals = arrivals(in);
  source.goal = goal_named(goals[in.choice("goal", goals, 0)]).value();
  source.open_frames = static_cast<uint32_t>(in.whole("open_frames", {1, 64}, 2));
  source.waiting_frames = static_cast<uint32_t>(in.whole("waiting_frames", {0, 100'000}, 2));
  source.drops_oldest = in.choice("drop", drops, 0) == 0;
  if (in.has("deadline")) source.deadline = in.duration("deadline", {1e-3, 1700.0}, std::nullopt);
  source.computes = in.truth("computes", true);
  return source;
}

Status Reader::read_sources() {
  return each("source", [&](TomlTable& in) { out_.sources.push_back(source(in)); });
}

Status Reader::read_policy() {
  const toml::node* table = root_.get("policy");
  if (table == nullptr) return success();
  if (!table->is_table())
    return Error{file_ + ":" + std::to_string(table->source().begin.line) +
                 ": 'policy' must be a table: write [policy]"};
  TomlTable in(*table->as_table(), file_, "[policy]");
  in.refuse_keys_besides({"steal", "replan", "audit", "planning"});
  ExperimentPolicy& policy = out_.policy;
  policy.steals = in.truth("steal", policy.steals);
  policy.replans = in.truth("replan", policy.replans);
  policy.audit_share = in.number("audit", {0.0, 1.0}, policy.audit_share);
  policy.planning = in.duration("planning", {0.0, 3600.0}, policy.planning);
  return in.status();
}

ExperimentFault Reader::fault(TomlTable& in) {
  in.refuse_keys_besides({"at", "kind", "node", "other", "factor"});
  ExperimentFault fault;
  fault.at = moment(in, std::nullopt);
  if (!in.has("kind")) in.fail("at", "a [[fault]] has no 'kind'");
  fault.kind = static_cast<FaultKind>(in.choice("kind", fault_kinds(), 0));
  const std::string kind = in_quotes(fault_kinds()[static_cast<size_t>(fault.kind)]);
  fault.node = node(in, "node");
  if (is_of_two_nodes(fault.kind))
    fault.other = node(in, "other");
  else if (in.has("other"))
    in.fail("other", "a fault of kind " + kind + " is of one node");
  if (is_of_two_nodes(fault.kind) && fault.other == fault.node)
    in.fail("other", "a fault of kind " + kind + " needs two different nodes");
  const bool has_factor = fault.kind == FaultKind::slow || fault.kind == FaultKind::spoil;
  if (!has_factor && in.has("factor"))
    in.fail("factor", "a fault of kind " + kind + " has no factor");
  if (has_factor)
    fault.factor =
        in.number("factor", fault.kind == FaultKind::slow ? Bounds{0.01, 1e4} : Bounds{0.0, 1.0},
                  std::nullopt);
  return fault;
}

Status Reader::read_faults() {
  return each("fault", [&](TomlTable& in) { out_.faults.push_back(fault(in)); });
}

ExperimentFlow Reader::flow(TomlTable& in) {
  in.refuse_keys_besides({"from", "to", "bytes", "at"});
  ExperimentFlow flow{.from = node(in, "from"), .to = node(in, "to")};
  if (in.status().ok() && flow.from == flow.to)
    in.fail("to", "a [[flow]] needs two different nodes");
  flow.bytes = std::llround(in.quantity("bytes", data_sizes, {1.0, 1e15}, std::nullopt));
  flow.at = moment(in, Duration{});
  return flow;
}

Status Reader::read_flows() {
  return each("flow", [&](TomlTable& in) { out_.flows.push_back(flow(in)); });
}

}  // namespace

const std::vector<std::string>& fault_kinds() {
  static const auto& kinds = *new std::vector<std::string>{
      "crash",  "power_off", "restart", "hang",   "wake",    "slow",    "stall",
      "resume", "break",     "damage",  "spoil",  "squeeze", "relieve", "cut",
      "mend",   "reset",     "clog",    "unclog", "corrupt"};
  return kinds;
}

bool is_of_two_nodes(FaultKind kind) { return kind >= FaultKind::cut; }

std::string beside_file(const std::string& file, const std::string& name) {
  const size_t slash = file.rfind('/');
  return slash == std::string::npos || name.starts_with('/') ? name
                                                             : file.substr(0, slash + 1) + name;
}

Result<ExperimentFile> read_experiment_table(const toml::table& table, std::string_view file_name) {
  return Reader(table, std::string(file_name)).read();
}

Result<ExperimentFile> parse_experiment(std::string_view text, std::string_view file_name) {
  if (text.size() > largest_text)
    return bad_input(std::string(file_name) + " is larger than 1 MiB: it is no experiment");
  return as_bad_input(parse_toml(text, file_name, [&](const toml::table& root) {
    return read_experiment_table(root, file_name);
  }));
}

Result<ExperimentFile> load_experiment(const std::string& path) {
  const Result<std::string> text = read_text(path, "experiment", largest_text);
  if (!text) return text.failure();
  return parse_experiment(*text, path);
}

}  // namespace shingle

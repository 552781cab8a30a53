#include "devices/files/sweep_file.hpp"

#include <algorithm>
#include <set>

#include "devices/files/experiment_table.hpp"
#include "devices/files/toml_text.hpp"
#include "partition/deepthings/ftp.hpp"
#include "partition/network/wifi_table.hpp"

namespace shingle {

namespace {

constexpr size_t largest_text = 1 << 20;
constexpr size_t most_axes = 64, most_values = 10'000;
constexpr Bounds counts{0, 1000}, rates{1e-3, 1e6};

std::string folder_of(const std::string& file) {
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash);
}

// Reads one [[axis]].
class AxisReader {
 public:
  AxisReader(const toml::table& table, const std::string& file, const ExperimentFile& experiment)
      : in_(table, file, "[[axis]]"), table_(table), file_(file), experiment_(experiment) {}

  Result<SweepAxis> read() {
    in_.refuse_keys_besides({"name", "of", "node", "nodes", "model", "values", "from", "to"});
    if (!in_.has("of")) in_.fail("of", "an [[axis]] has no 'of', which says what it varies");
    axis_.kind = static_cast<AxisKind>(in_.choice("of", axis_kinds(), 0));
    read_nodes();
    read_model();
    read_name();
    check_subject();
    if (in_.status().ok()) read_values();
    if (!in_.status()) return in_.status().failure();
    return std::move(axis_);
  }

 private:
  std::string kind() const { return axis_kinds()[static_cast<size_t>(axis_.kind)]; }
  const ClusterFileNode* node(NodeId id) const {
    const auto& nodes = experiment_.cluster.nodes;
    const auto found = std::ranges::find(nodes, id, &ClusterFileNode::id);
    return found == nodes.end() ? nullptr : &*found;
  }

  void add_node(std::string_view key, int64_t id) {
    const NodeId node_id{static_cast<uint32_t>(id)};
    if (node(node_id) == nullptr)
      return in_.fail(key, "node " + std::to_string(id) + " is not in the experiment's cluster");
    axis_.nodes.push_back(node_id);
  }
  void read_nodes() {
    const bool of_nodes = axis_.kind == AxisKind::board || axis_.kind == AxisKind::cores ||
                          axis_.kind == AxisKind::count || axis_.kind == AxisKind::link ||
                          axis_.kind == AxisKind::memory;
    if (!of_nodes && (in_.has("node") || in_.has("nodes")))
      return in_.fail(in_.has("node") ? "node" : "nodes",
                      "an axis of '" + kind() + "' is not of single nodes");
    if (in_.has("node")) add_node("node", in_.whole("node", {0, 65535}, std::nullopt));
    if (!in_.has("nodes")) return;
    const toml::array* list = table_.get("nodes")->as_array();
    if (list == nullptr || list->empty() || !list->is_homogeneous<int64_t>())
      return in_.fail("nodes", "'nodes' must be a list of ids, such as [2, 3]");
    for (const toml::node& each : *list) add_node("nodes", each.value<int64_t>().value_or(0));
  }
  void read_model() {
    axis_.model = in_.text("model", std::string());
    if (axis_.model.empty()) return;
    if (std::ranges::none_of(experiment_.models, [&](const ExperimentModel& model) {
          return model.name == axis_.model;
        }))
      in_.fail("model", "the experiment has no model " + in_quotes(axis_.model));
  }
  void read_name() {
    std::string usual = kind();
    for (const NodeId id : axis_.nodes) usual += " of " + std::to_string(id.value);
    axis_.name = in_.text("name", usual, true);
  }

  // What varies must be there.
  void check_subject() {
    if (!in_.status()) return;
    const ClusterFile& cluster = experiment_.cluster;
    if (axis_.kind == AxisKind::count && axis_.nodes.size() != 1)
      return in_.fail("of", "an axis of 'count' needs the 'node' that is copied");
    if (axis_.kind == AxisKind::count &&
        std::ranges::any_of(experiment_.sources,
                            [&](const auto& s) { return s.owner == axis_.nodes.front(); }))
      in_.fail("node", "node " + std::to_string(axis_.nodes.front().value) +
                           " owns a source, so there is exactly one of it");
    if (axis_.kind == AxisKind::cores)
      for (const ClusterFileNode& each : cluster.nodes)
        if (is_meant(each) && (!each.device || each.pace))
          in_.fail("of", "the speed of node " + std::to_string(each.id.value) +
                             " on other cores is not known: it has no profile");
    if (axis_.kind == AxisKind::link && cluster.network.kind == NetworkKind::shared)
      in_.fail("of", "a shared medium has no links; write of = \"network\"");
    if (axis_.kind == AxisKind::radio && std::ranges::none_of(cluster.points, [](const auto& p) {
          return p.kind != NetworkPoint::Kind::plain_switch;
        }))
      in_.fail("of", "the experiment's cluster has no [[cell]] whose radio could vary");
    const bool of_plans = axis_.kind == AxisKind::plan || axis_.kind == AxisKind::ftp_grid ||
                          axis_.kind == AxisKind::ftp_layers;
    if (of_plans && axis_.model.empty() && experiment_.models.size() != 1)
      in_.fail("of", "there are several models: an axis of '" + kind() + "' needs its 'model'");
    if (axis_.kind != AxisKind::ftp_grid && axis_.kind != AxisKind::ftp_layers) return;
    for (const ExperimentModel& model : experiment_.models)
      if ((axis_.model.empty() || model.name == axis_.model) && !model.plan.starts_with("ftp:"))
        in_.fail("of", "the plan of model " + in_quotes(model.name) +
                           " is no ftp scheme; give it one that the axis can change");
  }
  bool is_meant(const ClusterFileNode& each) const {
    return axis_.nodes.empty() || std::ranges::find(axis_.nodes, each.id) != axis_.nodes.end();
  }

  void read_values() {
    if (in_.has("from") || in_.has("to")) return read_span();
    const toml::node* list = table_.get("values");
    if (list == nullptr || !list->is_array() || list->as_array()->empty() ||
        list->as_array()->size() > most_values)
      return in_.fail("values", "an [[axis]] needs its 'values', a list of 1 to " +
                                    std::to_string(most_values));
    for (const toml::node& each : *list->as_array()) {
      read_value(each);
      if (!in_.status()) return;
    }
    std::set<std::string> texts;
    for (const SweepValue& value : axis_.values)
      if (!texts.insert(value.text).second)
        in_.fail("values", in_quotes(value.text) + " stands twice in 'values'");
  }
  void read_span() {
    const int64_t from = in_.whole("from", counts, std::nullopt);
    const int64_t to = in_.whole("to", counts, std::nullopt);
    if (in_.has("values") || to < from)
      return in_.fail("from", "write either 'values', or 'from' and a 'to' that is not less");
    for (int64_t number = from; number <= to; ++number) {
      read_value(toml::value<int64_t>(number));
      if (!in_.status()) return;
    }
  }

  void read_value(const toml::node& given) {
    const auto* text = given.as_string();
    const auto* number = given.as_integer();
    const auto refuse = [&](const std::string& what) {
      in_.fail(in_.has("values") ? "values" : "from",
               "values of an axis of '" + kind() + "' are " + what);
    };
    switch (axis_.kind) {
      case AxisKind::count:
      case AxisKind::cores:
      case AxisKind::ftp_layers:
      case AxisKind::open_frames: {
        const int64_t least = axis_.kind == AxisKind::count ? 0 : 1;
        const int64_t most = axis_.kind == AxisKind::open_frames ? 64 : 1000;
        if (number == nullptr || number->get() < least || number->get() > most)
          return refuse("whole numbers from " + std::to_string(least) + " to " +
                        std::to_string(most));
        axis_.values.push_back(
            {.text = std::to_string(number->get()), .number = static_cast<double>(number->get())});
        return;
      }
      default:
        if (text == nullptr || text->get().size() > 255) return refuse("texts");
        add(text->get(), refuse);
    }
  }

  template <class Refuse>
  void add(const std::string& text, const Refuse& refuse) {
    SweepValue value{.text = text};
    const auto needs = [&](std::optional<double> number, const std::string& what) {
      if (!number) return refuse(what);
      value.number = *number;
      axis_.values.push_back(value);
    };
    switch (axis_.kind) {
      case AxisKind::board:
        return add_board(std::move(value));
      case AxisKind::link:
        return needs(mbps(text), "rates such as \"100 Mb/s\"");
      case AxisKind::network:
        if (is_mode(text)) return axis_.values.push_back(value);
        return needs(mbps(text), "rates such as \"100 Mb/s\", or one of" + modes());
      case AxisKind::radio:
        return needs(is_mode(text) ? std::optional(0.0) : std::nullopt, "of" + modes());
      case AxisKind::memory: {
        const auto bytes = memory_with_unit(text);
        return needs(bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt,
                     "sizes such as \"512 MiB\"");
      }
      case AxisKind::rate:
        return needs(positive(with_unit(text, frequencies)), "rates such as \"2 /s\"");
      case AxisKind::goal:
        return needs(goal_named(text) ? std::optional(0.0) : std::nullopt,
                     "latency, throughput, energy or memory");
      case AxisKind::plan:
        if (!text.starts_with("ftp:")) return axis_.values.push_back(value);
        return needs(parse_ftp(text) ? std::optional(0.0) : std::nullopt,
                     "\"search\", files, or ftp schemes such as \"ftp:5x5:16+reuse\"");
      default: {  // ftp_grid
        const auto scheme = parse_ftp("ftp:" + text + ":1");
        return needs(scheme ? std::optional(static_cast<double>(scheme->rows * scheme->columns))
                            : std::nullopt,
                     "grids such as \"3x3\"");
      }
    }
  }
  void add_board(SweepValue value) {
    auto spec = find_device(value.text, folder_of(file_));
    if (!spec) return in_.fail("values", spec.error());
    auto device = find_profile(spec->profile, folder_of(file_));
    if (!device) return in_.fail("values", value.text + ": " + device.error());
    value.spec = std::move(*spec);
    value.device = std::move(*device);
    axis_.values.push_back(std::move(value));
  }
  static std::optional<double> positive(std::optional<double> value) {
    return value && *value > 0.0 && *value <= 1e6 ? value : std::nullopt;
  }
  static std::optional<double> mbps(const std::string& text) {
    const auto bits = with_unit(text, data_rates);
    if (!bits || *bits * 1e-6 < rates.minimum || *bits * 1e-6 > rates.maximum) return std::nullopt;
    return *bits * 1e-6;
  }
  static bool is_mode(const std::string& text) {
    const std::vector<std::string_view> known = wifi_modes();
    return std::ranges::find(known, text) != known.end();
  }
  static std::string modes() {
    std::string list;
    for (const std::string_view mode : wifi_modes()) list.append(" ").append(mode);
    return list;
  }

  TomlTable in_;
  const toml::table& table_;
  const std::string& file_;
  const ExperimentFile& experiment_;
  SweepAxis axis_;
};

class SweepReader {
 public:
  SweepReader(const toml::table& root, std::string file) : root_(root), file_(std::move(file)) {}

  Result<SweepFile> read() {
    for (auto part :
         {&SweepReader::read_experiment, &SweepReader::read_root, &SweepReader::read_axes})
      if (const Status status = (this->*part)(); !status) return status.failure();
    return std::move(out_);
  }

 private:
  Status read_experiment() {
    const toml::node* given = root_.get("experiment");
    if (given == nullptr)
      return Error{file_ +
                   ": the sweep has no experiment; write experiment = \"FILE\", or [experiment]"};
    if (given->is_table()) {
      auto experiment = read_experiment_table(*given->as_table(), file_);
      if (!experiment) return experiment.failure();
      out_.experiment = std::move(*experiment);
      return success();
    }
    TomlTable in(root_, file_, "the sweep");
    out_.experiment_file = in.text("experiment", std::nullopt, true);
    if (!in.status()) return in.status();
    auto experiment = load_experiment(beside_file(file_, out_.experiment_file));
    if (!experiment) return experiment.failure();
    out_.experiment = std::move(*experiment);
    return success();
  }

  Status read_root() {
    TomlTable in(root_, file_, "the sweep");
    in.refuse_keys_besides({"title", "experiment", "method", "designs", "evaluations", "population",
                            "seed", "seeds", "objectives", "also", "most_nodes", "axis"});
    out_.title = in.text("title", std::string(), true);
    out_.method = static_cast<SweepMethod>(in.choice("method", sweep_methods(), 0));
    const bool random = out_.method == SweepMethod::random;
    const bool genetic = out_.method == SweepMethod::nsga2;
    for (const auto& [key, fits] :
         {std::pair("designs", random), {"evaluations", genetic}, {"population", genetic}})
      if (in.has(key) && !fits)
        in.fail(key, in_quotes(key) + " has no meaning with method = \"" +
                         sweep_methods()[static_cast<size_t>(out_.method)] + "\"");
    if (random) out_.designs = whole(in, "designs", {1, 1e7}, std::nullopt);
    if (genetic) {
      out_.evaluations = whole(in, "evaluations", {4, 1e7}, std::nullopt);
      out_.population = whole(in, "population", {4, 100'000}, out_.population);
    }
    out_.seed = static_cast<uint64_t>(in.whole("seed", {0, 1e15}, 1));
    out_.seeds = whole(in, "seeds", {1, 10'000}, out_.experiment.seeds);
    if (in.has("most_nodes")) out_.most_nodes = whole(in, "most_nodes", {1, 1000}, std::nullopt);
    read_figures(in, "objectives");
    out_.objectives = out_.figures.size();
    if (out_.figures.empty())
      in.fail("objectives", "a sweep needs its 'objectives', such as [\"latency\", \"energy\"]");
    read_figures(in, "also");
    return in.status();
  }
  static uint32_t whole(TomlTable& in, std::string_view key, Bounds bounds,
                        std::optional<int64_t> otherwise) {
    return static_cast<uint32_t>(in.whole(key, bounds, otherwise));
  }
  void read_figures(TomlTable& in, const char* key) {
    const std::vector<std::string>& names = objective_names();
    for (const std::string& word : in.words(key)) {
      const auto found = std::ranges::find(names, word);
      std::string known;
      for (const std::string& name : names) known += " " + name;
      if (found == names.end())
        return in.fail(key, in_quotes(word) + " is no objective; there are" + known);
      const auto objective = static_cast<Objective>(found - names.begin());
      if (std::ranges::find(out_.figures, objective) != out_.figures.end())
        return in.fail(key, in_quotes(word) + " stands twice");
      out_.figures.push_back(objective);
    }
  }

  Status read_axes() {
    const toml::node* list = root_.get("axis");
    if (list == nullptr) return Error{file_ + ": the sweep has no [[axis]]: nothing would vary"};
    if (!list->is_array_of_tables() || list->as_array()->size() > most_axes)
      return Error{file_ + ":" + std::to_string(list->source().begin.line) + ": 'axis' must be a" +
                   " list of at most " + std::to_string(most_axes) + " tables: write [[axis]]"};
    for (const toml::node& each : *list->as_array()) {
      auto axis = AxisReader(*each.as_table(), file_, out_.experiment).read();
      if (!axis) return axis.failure();
      for (const SweepAxis& other : out_.axes)
        if (other.name == axis->name)
          return Error{file_ + ":" + std::to_string(each.source().begin.line) +
                       ": two axes have the name " + in_quotes(axis->name)};
      out_.axes.push_back(std::move(*axis));
    }
    return success();
  }

  const toml::table& root_;
  const std::string file_;
  SweepFile out_;
};

}  // namespace

const std::vector<std::string>& sweep_methods() {
  static const auto& names = *new std::vector<std::string>{"grid", "random", "nsga2"};
  return names;
}

const std::vector<std::string>& objective_names() {
  static const auto& names = *new std::vector<std::string>{
      "latency", "energy", "active_energy", "frames_per_second", "lost", "watts",
      "memory",  "nodes",  "cores"};
  return names;
}

const std::vector<std::string>& axis_kinds() {
  static const auto& names = *new std::vector<std::string>{
      "board",    "cores",      "network", "link",        "memory", "radio", "plan",
      "ftp_grid", "ftp_layers", "rate",    "open_frames", "goal",   "count"};
  return names;
}

Result<SweepFile> parse_sweep(std::string_view text, std::string_view file_name) {
  if (text.size() > largest_text)
    return bad_input(std::string(file_name) + " is larger than 1 MiB: it is no sweep");
  return as_bad_input(parse_toml(text, file_name, [&](const toml::table& root) {
    return SweepReader(root, std::string(file_name)).read();
  }));
}

Result<SweepFile> load_sweep(const std::string& path) {
  const Result<std::string> text = read_text(path, "sweep", largest_text);
  if (!text) return text.failure();
  return parse_sweep(*text, path);
}

}  // namespace shingle

// shingle trace replay: what a recorded run would have been on another cluster.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/cli/command_line.hpp"
#include "apps/run/run_models.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/write_file.hpp"
#include "apps/trace/replay_trace.hpp"
#include "apps/trace/trace_verb.hpp"
#include "devices/files/cluster_file.hpp"
#include "partition/plan/plan_summary.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

// All that a replay reads.
struct Recorded {
  RecordedTrace trace;
  TracedFrames traced;
  std::vector<RunModel> models;  // one
  Cluster was, other;

  const Model& model() const { return models.front().file->model; }
};

// The model of the trace's plans. The header of a trace of `run` says where it was.
Status open_model_of(const TraceVerbOptions& options, Recorded& recorded) {
  RunOptions run;
  run.model.path = options.model.empty() ? recorded.trace.model : options.model;
  run.model.weights = options.weights;
  run.reading = options.reading;
  if (run.model.path.empty())
    return usage_error("the trace does not say which model it is of; name it with --model");
  auto models = open_run_models(run);
  if (!models) return models.failure();
  recorded.models = std::move(*models);
  for (const Plan& plan : recorded.traced.plans) {
    const auto wrong = defects(plan, recorded.model());
    if (plan.model != recorded.model().hash)
      return bad_input("the trace's plan is of model " + short_name(plan.model) + ", and '" +
                       run.model.path + "' is " + short_name(recorded.model().hash) +
                       "; say with --model which it is, and with --head how it was read");
    if (!wrong.empty()) return bad_input("the trace's plan does not fit: " + wrong.front());
  }
  return success();
}

Result<Cluster> cluster_in(const std::string& path, const TracedFrames& traced) {
  const auto file = load_cluster(path);
  if (!file) return file.failure();
  Cluster cluster = planner_cluster(*file);
  const auto lacks = [&](NodeId node) {
    return std::ranges::find(cluster.nodes, node, &ClusterNode::id) == cluster.nodes.end();
  };
  std::vector<NodeId> needed;
  for (const sim::ReplayedSource& source : traced.sources) needed.push_back(source.owner);
  for (const Plan& plan : traced.plans)
    for (const FusedBlock& block : plan.blocks)
      for (const Tile& tile : block.tiles) needed.push_back(tile.home);
  for (const NodeId node : needed)
    if (lacks(node))
      return bad_input("'" + path + "' has no node " + std::to_string(node.value) +
                       ", which the trace's plan needs");
  return cluster;
}

Result<Recorded> read_all(const TraceVerbOptions& options) {
  Recorded recorded;
  auto trace = read_trace_file(options.real);
  if (!trace) return trace.failure();
  recorded.trace = std::move(*trace);
  auto traced = frames_of(recorded.trace);
  if (!traced) return traced.failure();
  recorded.traced = std::move(*traced);
  if (const Status opened = open_model_of(options, recorded); !opened) return opened.failure();
  auto other = cluster_in(options.cluster, recorded.traced);
  if (!other) return other.failure();
  recorded.other = std::move(*other);
  if (options.predicted) return recorded;
  const std::string was = options.was.empty() ? recorded.trace.cluster : options.was;
  if (was.empty())
    return usage_error("the trace does not say which cluster it is of; name its file with --was");
  auto cluster = cluster_in(was, recorded.traced);
  if (!cluster) return cluster.failure();
  recorded.was = std::move(*cluster);
  return recorded;
}

Result<FrameFigures> replay_on(const Recorded& recorded, const Cluster& cluster,
                               const TileTimes* times, std::vector<TraceEvent>* events) {
  sim::ReplayScript script{.plans = recorded.traced.plans, .sources = recorded.traced.sources};
  if (times != nullptr)
    script.compute_time = [&](NodeId node, const Compute& compute) {
      return times->on(cluster, node, compute);
    };
  if (events != nullptr)
    script.on_trace = [&](const TraceEvent& event) { events->push_back(event); };
  const auto frames = sim::replay(recorded.model(), cluster, script);
  if (!frames) return frames.failure();
  return figures_of(*frames);
}

struct Columns {
  std::vector<std::pair<std::string, FrameFigures>> all;
  std::string json() const;
  std::string text() const;
};

std::string Columns::json() const {
  Json json;
  for (const auto& [name, figures] : all)
    json[name] = {{"frames", figures.frames},
                  {"delivered", figures.delivered},
                  {"latency_p50_ms", figures.latency_p50_ms},
                  {"latency_p99_ms", figures.latency_p99_ms},
                  {"frames_per_second", figures.frames_per_second}};
  return json.dump() + "\n";
}

std::string Columns::text() const {
  std::string text = "             frames   p50 ms    p99 ms   frames/s\n";
  for (const auto& [name, figures] : all) {
    char line[160];
    std::snprintf(line, sizeof line, "%-12s %3zu/%-3zu %8.2f  %8.2f  %9.3f\n", name.c_str(),
                  figures.delivered, figures.frames, figures.latency_p50_ms, figures.latency_p99_ms,
                  figures.frames_per_second);
    text += line;
  }
  if (all.size() < 3) return text;
  const FrameFigures &same = all[1].second, &other = all[2].second;
  const auto percent = [](double now, double before) {
    return before > 0.0 ? (now / before - 1.0) * 100.0 : 0.0;
  };
  char line[160];
  std::snprintf(line, sizeof line,
                "predicted change: latency %+.1f %%, frames/s %+.1f %%; the replay on the same "
                "cluster is %+.1f %% off in latency\n",
                percent(other.latency_p50_ms, same.latency_p50_ms),
                percent(other.frames_per_second, same.frames_per_second),
                percent(same.latency_p50_ms, all[0].second.latency_p50_ms));
  return text + line;
}

Status save_trace(const TraceVerbOptions& options, const Recorded& recorded,
                  const std::vector<TraceEvent>& events) {
  const std::string text = print_trace({.source = TraceHeader::Source::simulation,
                                        .node = {},
                                        .program = program_version,
                                        .model = recorded.trace.model,
                                        .cluster = options.cluster},
                                       events);
  return write_file(options.out, std::as_bytes(std::span(text)));
}

}  // namespace

void describe_replay(CLI::App& verb, TraceVerbOptions& options) {
  verb.add_option("REAL", options.real, "a merged trace of a run")->type_name("")->required();
  verb.add_option("--cluster", options.cluster, "the other cluster's file (TOML)")
      ->type_name("FILE")
      ->required();
  auto* was = verb.add_option("--was", options.was,
                              "the file of the cluster that the trace is of (default: as the trace "
                              "says)")
                  ->type_name("FILE");
  verb.add_option("--model", options.model, "the traced model (default: as the trace says)")
      ->type_name("FILE");
  verb.add_option("--weights", options.weights, "of a Darknet .cfg")->type_name("FILE");
  verb.add_flag("--predicted", options.predicted,
                "tiles take what the other cluster's file says, not what the trace says")
      ->excludes(was);
  describe(verb, options.reading);
  verb.add_option("--out", options.out, "write the trace of the other cluster's run")
      ->type_name("FILE");
  verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.footer(
      "\nExamples:\n"
      "  shingle trace replay all.json --cluster faster.toml\n"
      "  shingle trace replay all.json --cluster boards.toml --predicted --out expected.json");
}

int replay_trace(const TraceVerbOptions& options) {
  const auto recorded = read_all(options);
  if (!recorded) return fail(recorded.failure());
  Columns columns{{{"recorded", figures_of(recorded->traced.frames)}}};
  std::optional<TileTimes> times;
  if (!options.predicted) {
    times.emplace(recorded->trace, recorded->traced, recorded->model(), recorded->was);
    const auto same = replay_on(*recorded, recorded->was, &*times, nullptr);
    if (!same) return fail(same.failure());
    columns.all.emplace_back("replayed", *same);
  }
  std::vector<TraceEvent> events;
  const auto other = replay_on(*recorded, recorded->other, times ? &*times : nullptr,
                               options.out.empty() ? nullptr : &events);
  if (!other) return fail(other.failure());
  columns.all.emplace_back(options.predicted ? "predicted" : "other", *other);
  if (!options.out.empty())
    if (const Status saved = save_trace(options, *recorded, events); !saved)
      return fail(saved.failure());
  return print(options.json ? columns.json() : columns.text());
}

}  // namespace shingle

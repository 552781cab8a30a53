// shingle plan: what would be computed where, drawn.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "apps/heads/head.hpp"
#include "apps/models/model_file.hpp"
#include "apps/run/choose_plan.hpp"
#include "apps/shingle/plan_report.hpp"
#include "apps/shingle/verbs.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/write_file.hpp"
#include "devices/budget/memory_cap.hpp"
#include "devices/files/toml_text.hpp"
#include "partition/simulation/plan_cost.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

Json turn_json(const Model& model, const Turn& turn) {
  Json json{{"plan", to_string(hash_of(turn.plan))}, {"share", turn.share}};
  json["blocks"] = Json::array();
  for (const FusedBlock& block : turn.plan.blocks) {
    Json tiles = Json::array();
    for (const Tile& tile : block.tiles)
      tiles.push_back({{"id", tile.id.value}, {"home", tile.home.value}, {"macs", tile.macs}});
    json["blocks"].push_back({{"first_layer", model.at(block.layers.front().id).name},
                              {"last_layer", model.at(block.layers.back().id).name},
                              {"layers", block.layers.size()},
                              {"tiles", tiles}});
  }
  json["latency_ms"] = in_nanoseconds(turn.plan.predicted.latency) / 1e6;
  json["wire_bytes"] = turn.plan.predicted.wire_bytes;
  json["peak_bytes"] = turn.plan.predicted.peak_bytes;
  json["macs_in_tiled_blocks"] = tiled_share(turn.plan);
  return json;
}

std::string json_of(const Model& model, const FoundRotation& found, const PlanReport* report) {
  const Prediction predicted = prediction(found.line);
  Json json{{"model", to_string(model.hash)},
            {"latency_ms", in_nanoseconds(predicted.latency) / 1e6},
            {"period_ms", in_nanoseconds(found.stream.period) / 1e6},
            {"wire_bytes", predicted.wire_bytes},
            {"peak_bytes", predicted.peak_bytes}};
  json["plans"] = Json::array();
  for (const Turn& turn : found.rotation) json["plans"].push_back(turn_json(model, turn));
  if (report != nullptr) json["explained"] = report_json(*report);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Each plan in turn.
std::string drawn(const Model& model, const Rotation& rotation) {
  std::string out;
  for (const Turn& turn : rotation) {
    if (rotation.size() > 1) out += "share " + std::to_string(turn.share) + "\n";
    out += draw(turn.plan, model);
  }
  return out;
}

Result<Cluster> cluster_of(const PlanOptionsOfUser& options) {
  Cluster cluster = equal_nodes(options.nodes.value_or(4));
  int threads = 1;
  if (!options.cluster.empty()) {
    const auto file = load_cluster(options.cluster);
    if (!file) return Error{file.error()};
    cluster = planner_cluster(*file);
    threads = executor_threads(*file);
  }
  if (options.memory.empty()) return cluster;
  const auto cap = memory_cap(options.memory);
  if (!cap) return Error{cap.error()};
  cap_memory(cluster, *cap, threads);
  return cluster;
}

Goal goal_of(const PlanOptionsOfUser& options) {
  Goal goal;
  goal.kind = goal_named(options.goal).value();
  if (options.owner) goal.owner = NodeId{*options.owner};
  goal.open_frames = options.open_frames;
  goal.deadline = Duration(static_cast<int64_t>(options.deadline_ms * 1e6));
  return goal;
}

// The plan as told, simulated, or the planner's.
Result<FoundRotation> find(const Model& model, const Cluster& cluster, const Goal& goal,
                           const std::optional<PlanOptions>& grid) {
  if (!grid) return find_rotation(model, cluster, goal);
  return simulated(model, cluster, goal, {{grid_plan(model, cluster, *grid)}});
}

// The gateway computes no tile; it is like the first node.
int run_scheme(const PlanOptionsOfUser& options, const Model& model, const Cluster& cluster) {
  if (!options.out.empty() || !options.grid.empty() || !options.cut_after.empty())
    return fail(Exit::usage,
                "--plan simulates a scheme; it cannot be used with --out, --grid or --cut-after");
  const auto scheme = parse_ftp(options.scheme);
  if (!scheme) return fail(Exit::usage, scheme.error());
  ClusterNode gateway = cluster.nodes.front();
  gateway.id = NodeId{cluster.nodes.back().id.value + 1};
  const auto run = simulate_ftp(model, cluster, gateway, *scheme);
  if (!run) return fail(Exit::bad_input, "no " + options.scheme + ": " + run.error());
  return print(options.json ? report_json(*run).dump() + "\n"
                            : explain(*run, cluster.nodes.size()));
}

Status save(const std::string& path, const Rotation& rotation) {
  const std::string text = print(rotation);
  return write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace

void describe(CLI::App& verb, PlanOptionsOfUser& options) {
  describe(verb, options.model);
  auto* cluster = verb.add_option("--cluster", options.cluster,
                                  "plan for the nodes of this cluster file (TOML)")
                      ->type_name("FILE");
  verb.add_option("--nodes", options.nodes, "plan for this many equal nodes (default: 4)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->excludes(cluster);
  verb.add_option("--grid", options.grid, "cut every block into ROWSxCOLUMNS tiles, such as 2x3")
      ->type_name("RxC");
  verb.add_option("--cut-after", options.cut_after, "end a block after these layers (names)")
      ->type_name("NAMES")
      ->allow_extra_args(false)
      ->delimiter(',');
  verb.add_option("--goal", options.goal,
                  "what to optimise: latency (of one frame), throughput, energy or memory")
      ->type_name("GOAL")
      ->check(CLI::IsMember({"latency", "throughput", "energy", "memory"}));
  verb.add_option("--memory", options.memory, memory_help)->type_name("CAP");
  verb.add_option("--deadline", options.deadline_ms, "deadline of a frame in milliseconds")
      ->type_name("MS")
      ->check(CLI::Range(0.001, 3.6e6));
  verb.add_option(
          "--owner", options.owner,
          "the node that captures the frames (default: a machine that is not in the cluster)")
      ->type_name("ID");
  verb.add_option("--open-frames", options.open_frames, "frames under way at once (default: 2)")
      ->type_name("N")
      ->check(CLI::Range(1, 64));
  verb.add_option("--plan", options.scheme,
                  "simulate DeepThings' scheme instead, such as ftp:5x5:16+reuse")
      ->type_name("SCHEME");
  describe(verb, options.reading);
  verb.add_flag("--explain", options.explain,
                "show what the plan costs, and why other plans were not chosen");
  verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.add_option("--out", options.out, "write the plan to this file, for 'shingle run --plan'")
      ->type_name("FILE");
  verb.footer(
      "\nExamples:\n"
      "  shingle plan yolox_nano.onnx --nodes 6\n"
      "  shingle plan yolox_nano.onnx --grid 2x2 --cut-after Conv_41,Conv_90\n"
      "  shingle plan yolox_nano.onnx --cluster boards.toml --out boards.plan\n"
      "  shingle plan yolox_nano.onnx --cluster boards.toml --owner 1 --memory 48MiB --explain");
}

int run_verb(const PlanOptionsOfUser& options) {
  auto opened = open_model(options.model.where(), onnx_options_of(options.model));
  if (!opened) return fail(Exit::bad_input, opened.error());
  Model& model = opened->model;
  const auto cluster = cluster_of(options);
  if (!cluster) return fail(Exit::bad_input, cluster.error());
  Reading reading;
  if (const Status status = choose_reading(*opened, options.reading, reading); !status)
    return fail(status.failure());
  if (picture_shape(model))  // as `run` will compute it; other models are planned as they are
    if (const Status taken = take_picture(model, reading.preparation); !taken)
      return fail(Exit::bad_input, taken.error());
  if (!options.scheme.empty()) return run_scheme(options, model, *cluster);
  const auto grid =
      read_grid_options(model, *cluster, {.grid = options.grid, .cut_after = options.cut_after});
  if (!grid) return fail(Exit::usage, grid.error());
  const Goal goal = goal_of(options);
  const auto found = find(model, *cluster, goal, *grid);
  if (!found) return fail(Exit::runtime, found.error());
  if (!options.out.empty())
    if (const Status saved = save(options.out, found->rotation); !saved)
      return fail(Exit::runtime, saved.error());
  if (!options.explain)
    return print(options.json ? json_of(model, *found, nullptr) : drawn(model, found->rotation));
  const PlanReport report{model, *cluster, goal, *found, rivals(model, *cluster, goal)};
  return print(options.json ? json_of(model, *found, &report) : explain(report));
}

}  // namespace shingle

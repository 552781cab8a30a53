// shingle plan: what would be computed where, drawn.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "apps/choose_plan.hpp"
#include "apps/exit.hpp"
#include "apps/head.hpp"
#include "apps/model_file.hpp"
#include "apps/print.hpp"
#include "apps/verbs.hpp"
#include "apps/write_file.hpp"
#include "devices/cluster_file.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

std::string json_of(const Model& model, const Plan& plan) {
  Json json{{"plan", to_string(hash_of(plan))}, {"model", to_string(plan.model)}};
  json["blocks"] = Json::array();
  for (const FusedBlock& block : plan.blocks) {
    Json tiles = Json::array();
    for (const Tile& tile : block.tiles)
      tiles.push_back({{"id", tile.id.value}, {"home", tile.home.value}, {"macs", tile.macs}});
    json["blocks"].push_back({{"first_layer", model.at(block.layers.front()).name},
                              {"last_layer", model.at(block.layers.back()).name},
                              {"layers", block.layers.size()},
                              {"tiles", tiles}});
  }
  json["latency_ms"] = static_cast<double>(plan.predicted.latency_ns) / 1e6;
  json["period_ms"] = static_cast<double>(plan.predicted.period_ns) / 1e6;
  json["wire_bytes"] = plan.predicted.wire_bytes;
  json["peak_bytes"] = plan.predicted.peak_bytes;
  json["macs_in_tiled_blocks"] = tiled_share(plan);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Cluster> cluster_of(const PlanOptionsOfUser& options) {
  if (options.cluster.empty()) return equal_nodes(options.nodes.value_or(4));
  const auto file = load_cluster(options.cluster);
  if (!file) return Error{file.error()};
  return planner_cluster(*file);
}

Status save(const std::string& path, const Plan& plan) {
  const std::string text = print(plan);
  return write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace

void describe(CLI::App& verb, PlanOptionsOfUser& options) {
  describe_model(verb, options.model, options.weights);
  auto* cluster = verb.add_option("--cluster", options.cluster, "nodes from this file (TOML)")
                      ->type_name("FILE");
  verb.add_option("--nodes", options.nodes, "so many equal nodes (4)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->excludes(cluster);
  verb.add_option("--grid", options.grid, "cut every block so: ROWSxCOLUMNS, as 2x3")
      ->type_name("RxC");
  verb.add_option("--cut-after", options.cut_after, "end a block after these layers (names)")
      ->type_name("NAMES")
      ->allow_extra_args(false)
      ->delimiter(',');
  describe(verb, options.reading);
  verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.add_option("--out", options.out, "write the plan itself, for 'shingle run --plan'")
      ->type_name("FILE");
  verb.footer(
      "\nExamples:\n"
      "  shingle plan yolox_nano.onnx --nodes 6\n"
      "  shingle plan yolox_nano.onnx --grid 2x2 --cut-after Conv_41,Conv_90\n"
      "  shingle plan yolox_nano.onnx --cluster boards.toml --out boards.plan");
}

int run_verb(const PlanOptionsOfUser& options) {
  auto opened = open_model({options.model, options.weights});
  if (!opened) return fail(Exit::bad_input, opened.error());
  Model& model = opened->model;
  const auto cluster = cluster_of(options);
  if (!cluster) return fail(Exit::bad_input, cluster.error());
  Reading reading;
  if (const auto failure = choose_reading(*opened, options.reading, reading)) return fail(*failure);
  if (picture_shape(model))  // as `run` will compute it; other models are planned as they are
    if (const Status taken = take_picture(model, reading.preparation); !taken)
      return fail(Exit::bad_input, taken.error());
  const auto wish =
      read_wish(model, *cluster, {.grid = options.grid, .cut_after = options.cut_after});
  if (!wish) return fail(Exit::usage, wish.error());
  const auto plan = choose_plan(model, *cluster, *wish);
  if (!plan) return fail(Exit::runtime, plan.error());
  if (!options.out.empty())
    if (const Status saved = save(options.out, *plan); !saved)
      return fail(Exit::runtime, saved.error());
  return print(options.json ? json_of(model, *plan) : draw(*plan, model));
}

}  // namespace shingle

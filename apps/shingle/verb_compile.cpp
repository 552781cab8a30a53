// shingle compile: a model made ready for a machine and a plan, ahead of time.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "apps/client/plan_file.hpp"
#include "apps/models/compiled_model.hpp"
#include "apps/run/choose_plan.hpp"
#include "apps/run/model_facts.hpp"
#include "apps/shingle/verbs.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "devices/files/cluster_file.hpp"

namespace shingle {
namespace {

Result<Plan> plan_for(const CompileOptions& options, const Model& model) {
  if (!options.plan.empty()) {
    auto rotation = read_plan_file(options.plan, model);
    if (!rotation) return Error{rotation.error()};
    if (rotation->size() > 1)
      return Error{"'" + options.plan + "' has " + std::to_string(rotation->size()) +
                   " plans in turn, but a compiled file holds only one plan; give them to 'shingle "
                   "run --plan'"};
    return std::move(rotation->front().plan);
  }
  Cluster cluster = equal_nodes(options.nodes);
  if (!options.cluster.empty()) {
    const auto file = load_cluster(options.cluster);
    if (!file) return Error{file.error()};
    cluster = planner_cluster(*file);
  }
  return make_plan(model, cluster, {});
}

int tell(const CompileOptions& options, const Compiled& compiled, const PlanHash& plan) {
  if (options.json) {
    const nlohmann::ordered_json json{{"file", options.out},
                                      {"hash", to_string(compiled.hash)},
                                      {"plan", to_string(plan)},
                                      {"layers_packed", compiled.layers_packed},
                                      {"packed_bytes", compiled.packed_bytes},
                                      {"kept_bytes", compiled.kept_bytes},
                                      {"arena_bytes", compiled.arena_bytes}};
    return print(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                 "\n");
  }
  const auto bytes = [](int64_t value) { return with_unit(static_cast<double>(value)) + "B"; };
  return print(options.out + ": plan " + short_name(plan) + ", " +
               std::to_string(compiled.layers_packed) + " layers packed, " +
               bytes(compiled.packed_bytes) + "; " + bytes(compiled.kept_bytes) +
               " of the model's file; maps take at most " + bytes(compiled.arena_bytes) + "\n");
}

}  // namespace

void describe(CLI::App& verb, CompileOptions& options) {
  describe(verb, options.model);
  auto* cluster = verb.add_option("--cluster", options.cluster, "plan for these nodes (TOML)")
                      ->type_name("FILE");
  auto* plan = verb.add_option("--plan", options.plan, "this plan, from 'shingle plan --out'")
                   ->type_name("FILE")
                   ->excludes(cluster);
  verb.add_option("--nodes", options.nodes, "plan for this many equal nodes (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->excludes(cluster)
      ->excludes(plan);
  verb.add_flag("--capped", options.capped,
                "for nodes with a memory cap: weights as small as they can be");
  verb.add_option("-o,--out", options.out, "the file to write")->type_name("FILE")->required();
  describe(verb, options.reading);
  verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.footer(
      "\nExamples:\n"
      "  shingle compile yolox_nano.onnx --nodes 4 -o yolox.shingle\n"
      "  shingle run yolox.shingle street.mp4 --out boxes.mp4       uses its plan, packs nothing\n"
      "  shingle compile yolox_nano.onnx --cluster boards.toml -o yolox.shingle\n"
      "  shingle node --cluster boards.toml --id 2 --models yolox.shingle");
}

int run_verb(const CompileOptions& options) {
  if (options.model.opset != 0)
    return fail(Exit::usage,
                "a compiled file is read as of the opset that its model names; leave --opset out");
  auto opened = open_model(options.model.where(), sized_by_plan(options.model, options.plan));
  if (!opened) return fail(Exit::bad_input, opened.error());
  Model& model = opened->model;
  if (CompiledFile::is_one(options.model.path))
    return fail(Exit::usage,
                "'" + options.model.path + "' is compiled already; name the model itself");
  Reading reading;
  if (const Status status = choose_reading(*opened, options.reading, reading); !status)
    return fail(status.failure());
  if (picture_shape(model))  // as `run` will compute it; others are compiled as they are
    if (const Status taken = take_picture(model, reading.preparation); !taken)
      return fail(Exit::bad_input, taken.error());
  const auto plan = plan_for(options, model);
  if (!plan) return fail(Exit::bad_input, plan.error());
  const auto compiled =
      compile({.file = *opened, .plan = *plan, .capped = options.capped}, options.out);
  if (!compiled) return fail(Exit::runtime, compiled.error());
  return tell(options, *compiled, hash_of(*plan));
}

}  // namespace shingle

// shingle verify: every layer on two executors, or on nodes of a cluster, and where they part; or
// what flipped bits do.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "apps/cli/program_log.hpp"
#include "apps/client/node_layers.hpp"
#include "apps/client/session.hpp"
#include "apps/models/model_file.hpp"
#include "apps/models/seeded_input.hpp"
#include "apps/shingle/verbs.hpp"
#include "apps/shingle/verify_soft_errors.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "devices/measure/layer_check.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

// "native", or "native-direct": without Winograd.
struct Side {
  std::string name;
  std::unique_ptr<Executor> executor;
  WinogradUse winograd = WinogradUse::where_faster;

  CheckedSide checked(const Plan* plan = nullptr) const { return {*executor, winograd, plan}; }
};

Result<Side> side_of(const std::string& name, uint32_t threads) {
  constexpr std::string_view direct = "-direct";
  const bool without = name.ends_with(direct);
  auto executor =
      make_executor({.name = without ? name.substr(0, name.size() - direct.size()) : name,
                     .threads = threads,
                     .log = program_log()});
  if (!executor) return Error{executor.error()};
  return Side{name, std::move(*executor), without ? WinogradUse::never : WinogradUse::where_faster};
}

struct Verdict {
  const Model& model;
  const std::vector<LayerDifference>& layers;
  double tolerance;
  std::string of, against;

  template <class Condition>
  const LayerDifference* first(const Condition& condition) const {
    const auto found = std::find_if(layers.begin(), layers.end(), condition);
    return found == layers.end() ? nullptr : &*found;
  }
  const LayerDifference* other_bits() const {
    return first([](const LayerDifference& l) { return l.difference.differing() > 0; });
  }
  const LayerDifference* departs() const {
    return first([&](const LayerDifference& l) { return !(l.difference.rms <= tolerance); });
  }
  std::string name(const LayerDifference* layer) const { return model.at(layer->layer).name; }
};

std::string json_of(const Verdict& verdict) {
  const auto named = [&](const LayerDifference* layer) {
    return layer == nullptr ? Json(nullptr) : Json(verdict.name(layer));
  };
  Json json{{"of", verdict.of}, {"against", verdict.against}, {"tolerance", verdict.tolerance}};
  json["layers"] = Json::array();
  for (const LayerDifference& layer : verdict.layers) {
    const Difference& d = layer.difference;
    json["layers"].push_back({{"name", verdict.name(&layer)},
                              {"operator", name_of(verdict.model.at(layer.layer).op)},
                              {"values", d.values},
                              {"differing", d.differing()},
                              {"max", d.largest},
                              {"rms", d.rms},
                              {"ulps", d.ulps}});
  }
  json["first_other_bits"] = named(verdict.other_bits());
  json["first_that_departs"] = named(verdict.departs());
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string table_of(const Verdict& verdict) {
  std::array<char, 256> line{};
  std::string text =
      "layer                        operator        largest      rms   share of values by ulps "
      "apart\n" +
      std::string(59, ' ') + "     0     1   2-3  4-15  -255  more\n";
  for (const LayerDifference& layer : verdict.layers) {
    const Difference& d = layer.difference;
    std::snprintf(line.data(), line.size(), "%-28.28s %-14s %8.1e %8.1e",
                  verdict.name(&layer).c_str(), name_of(verdict.model.at(layer.layer).op),
                  d.largest, d.rms);
    text += line.data();
    for (const int64_t count : d.ulps) {
      std::snprintf(
          line.data(), line.size(), " %5.3f",
          static_cast<double>(count) / static_cast<double>(std::max<int64_t>(d.values, 1)));
      text += line.data();
    }
    text += '\n';
  }
  const LayerDifference *bits = verdict.other_bits(), *departs = verdict.departs();
  text += bits == nullptr ? verdict.of + " and " + verdict.against + " give the same bits\n"
                          : "first layer with other bits: " + verdict.name(bits) + "\n";
  std::snprintf(line.data(), line.size(), " by more than %g\n", verdict.tolerance);
  text += departs == nullptr ? "no layer departs" + std::string(line.data())
                             : "first layer that departs: " + verdict.name(departs) + line.data();
  return text;
}

int tell(const Verdict& verdict, bool json) {
  const int printed = print(json ? json_of(verdict) : table_of(verdict));
  if (printed != static_cast<int>(Exit::ok)) return printed;
  return static_cast<int>(verdict.departs() == nullptr ? Exit::ok : Exit::runtime);
}

int verify_here(const VerifyOptions& options, const Model& model, const WholeInputs& inputs,
                const Side& against) {
  const auto of = side_of(options.of, options.threads);
  if (!of) return fail(Exit::usage, of.error());
  const auto layers = check_layers(model, inputs, of->checked(), against.checked());
  if (!layers) return fail(Exit::runtime, layers.error());
  return tell({model, *layers, options.tolerance, options.of, options.against}, options.json);
}

// The nodes that the user names, or all but this one.
std::vector<NodeId> asked(const VerifyOptions& options, const ClusterFile& cluster) {
  std::vector<NodeId> nodes;
  for (const uint32_t id : options.nodes) nodes.push_back(NodeId{id});
  if (!nodes.empty()) return nodes;
  for (const ClusterFileNode& node : cluster.nodes)
    if (node.id != NodeId{*options.id}) nodes.push_back(node.id);
  return nodes;
}

// One after the other, whoever of them answers; the worst exit code.
int verify_nodes(const VerifyOptions& options, const std::shared_ptr<const Model>& model,
                 const WholeInputs& inputs, const Side& against) {
  const auto cluster = load_cluster(options.cluster);
  if (!cluster) return fail(cluster.failure());
  if (!options.id)
    return fail(Exit::usage, "say with --id which node of '" + options.cluster + "' this is");
  if (against.winograd == WinogradUse::never)
    return fail(Exit::usage, "nodes use a plan's algorithms, so they cannot be compared with '" +
                                 options.against + "'; name the executor alone");
  const NodeId self{*options.id};
  const Plan plan = layer_by_layer(*model, self);
  const auto expected = layer_maps(*model, inputs, against.checked(&plan));
  if (!expected) return fail(Exit::runtime, expected.error());
  const std::vector<NodeId> nodes = asked(options, *cluster);
  if (nodes.empty() || std::ranges::find(nodes, self) != nodes.end())
    return fail(Exit::usage, "--node cannot be this node itself; name other nodes");
  int worst = static_cast<int>(Exit::ok);
  for (const NodeId node : nodes) {
    const auto maps =
        node_layer_maps(model, inputs,
                        {.cluster = *cluster,
                         .self = self,
                         .node = node,
                         .keys = options.admission.folder(),
                         .insecure = options.admission.insecure,
                         .executor = {.name = options.against, .threads = options.threads}});
    if (!maps) {
      worst = std::max(worst, fail(Exit::runtime, maps.error()));
      continue;
    }
    const auto layers = differences(*model, *maps, *expected);
    worst = std::max(worst, tell({*model, layers, options.tolerance,
                                  "node " + std::to_string(node.value), options.against},
                                 options.json));
  }
  return worst;
}

void describe_soft_errors(CLI::App& verb, VerifyOptions& options, CLI::Option* of,
                          CLI::Option* cluster) {
  auto* soft =
      verb.add_flag("--soft-errors", options.soft_errors,
                    "flip bits in weights and maps instead, and show how the answers change")
          ->excludes(of)
          ->excludes(cluster);
  verb.add_option("--flips", options.flips,
                  "flips in each layer's weights, and in its map (default: 60)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->needs(soft);
  verb.add_option("--seconds", options.seconds,
                  "stop flipping after this many seconds (default: 60)")
      ->type_name("S")
      ->check(CLI::Range(0.1, 1e6))
      ->needs(soft);
  verb.add_option("--image", options.images,
                  "a picture, a folder of pictures or a video; may be repeated (default: a "
                  "rendered street)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->needs(soft);
}

}  // namespace

void describe(CLI::App& verb, VerifyOptions& options) {
  describe(verb, options.model);
  auto* of =
      verb.add_option("--of", options.of,
                      "native, xnnpack or reference, each also as NAME-direct (default: native)")
          ->type_name("NAME");
  verb.add_option("--against", options.against,
                  "the executor to compare it with (default: reference)")
      ->type_name("NAME");
  auto* cluster = verb.add_option("--cluster", options.cluster,
                                  "ask running nodes of this cluster instead (TOML)")
                      ->type_name("FILE")
                      ->excludes(of);
  verb.add_option("--id", options.id, "which node of the cluster file this is")
      ->type_name("N")
      ->needs(cluster);
  verb.add_option("--node", options.nodes,
                  "ask this node; may be repeated (default: all nodes except this one)")
      ->type_name("N")
      ->allow_extra_args(false)
      ->needs(cluster);
  describe(verb, options.admission);
  verb.add_option("--threads", options.threads, "threads (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  verb.add_option("--seed", options.seed, "seed of the frame's values (default: 1)")
      ->type_name("N");
  verb.add_option("--tolerance", options.tolerance,
                  "a layer departs if the rms of its differences, relative to its values, is above "
                  "this (default: 1e-5)")
      ->type_name("RMS")
      ->check(CLI::NonNegativeNumber);
  describe_soft_errors(verb, options, of, cluster);
  describe(verb, options.reading);
  verb.add_flag("--json", options.json, "one JSON object on stdout for each comparison");
  verb.footer(
      "\nExamples:\n"
      "  shingle verify yolox_nano.onnx\n"
      "  shingle verify yolox_nano.onnx --of native --against xnnpack --tolerance 0\n"
      "  shingle verify yolox_nano.onnx --of native --against native-direct --json\n"
      "  shingle verify yolox_nano.onnx --cluster boards.toml --id 9 --node 2 --against native\n"
      "  shingle verify models/vehicles.onnx --soft-errors --image street.png --flips 300");
}

int run_verb(const VerifyOptions& options) {
  if (options.soft_errors) return verify_soft_errors(options);
  auto opened = open_model(options.model.where(), onnx_options_of(options.model));
  if (!opened) return fail(Exit::bad_input, opened.error());
  const auto file = std::make_shared<const ModelFile>(std::move(*opened));
  const std::shared_ptr<const Model> model(file, &file->model);
  const auto against = side_of(options.against, options.threads);
  if (!against) return fail(Exit::usage, against.error());
  const WholeInputs inputs = seeded_inputs(*model, options.seed);
  return options.cluster.empty() ? verify_here(options, *model, inputs, *against)
                                 : verify_nodes(options, model, inputs, *against);
}

}  // namespace shingle

// One exported network: its figures beside ONNX Runtime's.
#pragma once

#include <filesystem>

#include "bench/engine_rounds.hpp"
#include "bench/engine_runner.hpp"
#include "bench/networks_report.hpp"
#include "partition/search/planner.hpp"
#include "tests/conformance/tiles.hpp"
#include "tests/networks/exported/rows.hpp"

namespace shingle::bench {

// Wires so quick that every node gets work.
inline Cluster four_nodes() {
  Cluster cluster;
  for (uint32_t id = 0; id < 4; ++id)
    cluster.nodes.push_back({.id = {id}, .gflops = 1.0, .link_mbps = 10'000.0});
  return cluster;
}

// Four tiles wherever a block can be cut, and a block every sixteen layers.
inline Plan everything_cut(const Model& model) {
  PlanOptions options;
  options.grid = {.rows = 4, .columns = 1};
  for (uint32_t layer = 15; layer + 1 < model.layers.size(); layer += 16)
    options.cut_after.push_back({layer});
  return grid_plan(model, four_nodes(), options);
}

inline size_t tiles_of(const Plan& plan) {
  size_t tiles = 0;
  for (const FusedBlock& block : plan.blocks) tiles += block.tiles.size();
  return tiles;
}

// The worst of all outputs, relative to the output's largest value. `keys`: Exported::keys.
inline double worst_error(const Model& model, size_t keys, std::span<const float> ours,
                          std::span<const float> theirs) {
  if (ours.size() != theirs.size()) return HUGE_VAL;
  networks::RowOutputs outputs{.elements = {}, .keys = keys};
  for (const ModelOutput& output : model.outputs) {
    const Shape shape = model.at(output.tensor).shape;
    outputs.elements.push_back(static_cast<size_t>(shape.elements()));
  }
  if (keys > 0) return networks::worst_row_error(outputs, ours, theirs);
  double worst = 0;
  for (const size_t count : outputs.elements) {
    worst = std::max(worst, networks::relative_difference(ours.first(count), theirs.first(count)));
    ours = ours.subspan(count);
    theirs = theirs.subspan(count);
  }
  return worst;
}

class NetworkBench {
 public:
  // `ort`: null if there is none.
  NetworkBench(OrtPeer* ort, std::string folder, const NetworksLine& line)
      : ort_(ort), folder_(std::move(folder)), line_(line) {}

  // Refusals and peers that do not run go to the report.
  NetworkFigures measure(const networks::ExportedName& network, NetworksReport& report) {
    NetworkFigures figures;
    if (!line_.quick) figures.error = figures.differing = 0;
    for (const int64_t opset : network.opsets) {
      if (line_.quick && opset != 18) continue;
      const networks::Exported plain = must(networks::exported(network.name, {.opset = opset}));
      const auto read = read_onnx(std::as_bytes(std::span(plain.file)));
      if (!read) {
        report.fail(network.name + " at opset " + std::to_string(opset) +
                    " is refused: " + read.error());
        return {};
      }
      if (!line_.quick) compare(network.name, opset, figures);
      const NetworkFile file(folder_, network.name, plain.file);
      if (!line_.quick) differ(file, figures);
      if (opset == 18) {
        hold(file, plain.layer_wise_bytes, figures);
        if (line_.speed) race(file, figures);
      }
      remove(file);
    }
    return figures;
  }

  // Where the maps of a frame lie, on one thread.
  std::string memory(const std::string& name) const {
    const networks::Exported network = must(networks::exported(name));
    const NetworkFile file(folder_, name, network.file);
    Runner own(file.model(), {}, WinogradUse::where_faster);
    return draw(own.executor().memory_plan(own.program()), 48);
  }

 private:
  static void remove(const NetworkFile& file) {
    std::filesystem::remove(file.path());
    std::filesystem::remove(file.input_path());
  }

  void compare(const std::string& name, int64_t opset, NetworkFigures& figures) {
    const networks::Exported network =
        must(networks::exported(name, {.opset = opset, .selection = true}));
    const NetworkFile file(folder_, name + "_compared", network.file);
    Runner own(file.model(), {}, WinogradUse::where_faster);
    own.run(file.input());
    double error = HUGE_VAL;
    if (ort_ != nullptr && ort_->open(file.path(), file.input_path(), 1)) {
      ort_->run_seconds(false);
      error = worst_error(file.model(), network.keys, own.outputs(),
                          ort_->outputs(folder_ + "/outputs"));
    }
    figures.error = std::max(figures.error, error);
    remove(file);
  }

  // By the planner's plan, and by one that cuts everything that can be cut: the planner leaves on
  // one node what gains nothing by four.
  static void differ(const NetworkFile& file, NetworkFigures& figures) {
    const Model& model = file.model();
    const Plan planned = must(make_plan(model, four_nodes())), cut = everything_cut(model);
    figures.planned_tiles = tiles_of(planned);
    figures.tiles = tiles_of(cut);
    for (const Plan& plan : {planned, cut}) {
      NativeExecutor executor;
      const auto wholes = must(conformance::run_whole(executor, model, plan, {file.input()}));
      const auto tiles = must(conformance::run_tiles(executor, model, plan, {file.input()}));
      const auto bytes = static_cast<double>(conformance::differing_bytes(tiles, wholes));
      figures.differing = std::max(figures.differing, bytes);
    }
  }

  static void hold(const NetworkFile& file, int64_t layer_wise_bytes, NetworkFigures& figures) {
    Runner own(file.model(), {}, WinogradUse::where_faster);
    figures.map_mb = static_cast<double>(own.executor().activation_bytes()) * 1e-6;
    figures.layer_wise_mb = static_cast<double>(layer_wise_bytes) * 1e-6;
    figures.map_ratio = figures.map_mb / figures.layer_wise_mb;
  }

  // Both engines run in each round, so that changes of the machine's speed affect both.
  void race(const NetworkFile& file, NetworkFigures& figures) {
    for (const int threads : {1, 2}) {
      Runner own(file.model(), {.threads = threads}, WinogradUse::where_faster);
      if (ort_ == nullptr || !ort_->load(file.path(), file.input_path(), threads)) return;
      Times ours, theirs;
      for (int round = 0; round < line_.rounds; ++round) {
        measure_once(ours, [&] { return seconds([&] { own.run(file.input()); }); });
        measure_once(theirs, [&] { return ort_->run_seconds(false); });
      }
      (threads == 1 ? figures.ratio_t1 : figures.ratio_t2) = median_ratio(ours.busy, theirs.busy);
      if (threads > 1) continue;
      figures.own_ms = milliseconds(ours);
      figures.ort_ms = milliseconds(theirs);
    }
  }

  OrtPeer* ort_;
  std::string folder_;
  const NetworksLine& line_;
};

}  // namespace shingle::bench

#include "apps/sweep/prepared_sweep.hpp"

#include <algorithm>

#include "apps/cli/command_line.hpp"
#include "apps/simulate/read_experiment.hpp"
#include "sim/experiment/seed_run.hpp"
#include "sim/sweep/figures.hpp"

namespace shingle {
namespace {

using namespace sim;

void add_board(std::string& text, const std::optional<DeviceSpec>& spec,
               const std::optional<DeviceProfile>& device) {
  if (spec) text += print(*spec);
  if (device) text += print(*device);
}

Hash identity_of(const PreparedSweep& sweep) {
  const ExperimentFile& experiment = sweep.file.experiment;
  std::string text = std::string(program_version) + "\n" + print(experiment) +
                     print(experiment.cluster) + "seeds " + std::to_string(sweep.file.seeds) + "\n";
  for (const KnownModel& model : sweep.models) text += to_string(model.model->hash) + "\n";
  for (const ClusterFileNode& node : experiment.cluster.nodes)
    add_board(text, node.spec, node.device);
  for (const SweepAxis& axis : sweep.file.axes)
    for (const SweepValue& value : axis.values) add_board(text, value.spec, value.device);
  for (const Objective objective : sweep.file.figures)
    text += objective_names()[static_cast<size_t>(objective)] + "\n";
  return sha256(text);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// None: no frame was delivered.
std::optional<std::vector<double>> figures_of(const SweepFile& file, const Experiment& experiment,
                                              const RunResult& run) {
  std::vector<double> figures;
  for (const Objective objective : file.figures) {
    const auto figure = figure_of(objective, experiment, run);
    if (!figure) return std::nullopt;
    figures.push_back(*figure);
  }
  return figures;
}

}  // namespace

Result<PreparedSweep> prepare_sweep(const std::string& path) {
  auto file = load_sweep(path);
  if (!file) return file.failure();
  PreparedSweep sweep{.path = path, .experiment_path = path, .file = std::move(*file)};
  if (!sweep.file.experiment_file.empty())
    sweep.experiment_path = beside_file(path, sweep.file.experiment_file);
  auto models = read_models(sweep.experiment_path, sweep.file.experiment, sweep.files);
  if (!models) return models.failure();
  sweep.models = std::move(*models);
  sweep.space = space_of(sweep.file);
  sweep.identity = identity_of(sweep);
  return sweep;
}

std::string text_of(const SweepFile& file, const Design& design) {
  std::string text;
  for (size_t i = 0; i < design.size(); ++i)
    text.append(i == 0 ? "" : " ")
        .append(file.axes[i].name)
        .append("=")
        .append(file.axes[i].values[design[i]].text);
  return text;
}

std::string key_of(const PreparedSweep& sweep, const Design& design) {
  std::string text = to_string(sweep.identity) + "\n";
  for (size_t i = 0; i < design.size(); ++i) {
    const SweepAxis& axis = sweep.file.axes[i];
    text += axis_kinds()[static_cast<size_t>(axis.kind)] + " " + axis.model;
    for (const NodeId node : axis.nodes) text.append(" ").append(std::to_string(node.value));
    text += "=" + axis.values[design[i]].text + "\n";
  }
  constexpr size_t digits = 32;  // 128 bits
  return to_string(sha256(text)).substr(0, digits);
}

Result<Experiment> DesignRunner::experiment_of(const Design& design) const {
  ExperimentFile file = design_of(sweep_.file, design);
  std::vector<KnownModel> models = sweep_.models;
  if (const Status read = read_plans(sweep_.experiment_path, file, models); !read)
    return read.failure();
  return prepare(std::move(file), models);
}

DesignResult DesignRunner::run(const Design& design) {
  DesignResult result{.design = design};
  const auto fail = [&](const std::string& sentence) {
    result.figures.clear();
    result.failure = sentence;
    return result;
  };
  const auto experiment = experiment_of(design);
  if (!experiment) return fail(experiment.error());
  result.extrapolated = joined(extrapolated_parts(*experiment));
  std::optional<FtpExperiment> scheme;
  if (!experiment->sources.empty() && experiment->sources.front().ftp) {
    auto prepared = FtpExperiment::prepare(*experiment, memo_);
    if (!prepared) return fail(prepared.error());
    scheme.emplace(std::move(*prepared));
  }
  const uint32_t seeds = drawn_parts(*experiment).empty() ? 1 : sweep_.file.seeds;
  for (uint32_t i = 0; i < seeds; ++i) {
    const uint64_t seed = experiment->file.first_seed + i;
    const auto run = scheme ? Result<RunResult>(scheme->run(seed)) : run_seed(*experiment, seed);
    if (!run) return fail(run.error());
    if (!run->breaches.empty())
      return fail("the simulation broke one of its own rules: " + run->breaches.front());
    auto figures = figures_of(sweep_.file, *experiment, *run);
    if (!figures) return fail("no frame is delivered");
    result.figures.push_back(std::move(*figures));
  }
  return result;
}

}  // namespace shingle

#include "apps/simulate/read_experiment.hpp"

#include <algorithm>
#include <map>

#include "apps/client/plan_file.hpp"
#include "apps/heads/reading.hpp"
#include "apps/models/take_picture.hpp"
#include "sim/scenario_script.hpp"

namespace shingle {
namespace {

// As `run` computes it: pictures come as bytes.
Status as_pictures(Model& model, const Preparation& preparation) {
  return picture_shape(model) ? take_picture(model, preparation) : success();
}

Result<std::shared_ptr<const Model>> described(const std::string& path,
                                               const ExperimentModel& model) {
  std::optional<Model> made = sim::described_model(model.input, model.layers);
  if (!made)
    return bad_input(path + ": model '" + model.name +
                     "': an input is HEIGHTxWIDTHxCHANNELS, such as 416x416x3; layers are "
                     "convKERNEL:CHANNELS, convKERNEL:CHANNELSsSTRIDE and poolSIZE, and the map "
                     "must be larger than each pool");
  if (const Status taken = as_pictures(*made, {}); !taken) return taken.failure();
  return std::make_shared<const Model>(std::move(*made));
}

Result<std::shared_ptr<const Model>> from_file(const std::string& path, const std::string& head,
                                               std::vector<ModelFile>& files) {
  auto opened = open_model(ModelPath(path));
  if (!opened) return bad_input(opened.error());
  const auto reading = choose_reading(*opened, {.head = head});
  if (!reading) return bad_input(path + ": " + reading.error());
  if (const Status taken = as_pictures(opened->model, reading->preparation); !taken)
    return bad_input(path + ": " + taken.error());
  auto model = std::make_shared<const Model>(std::move(opened->model));
  files.push_back(std::move(*opened));  // its weights lie there
  return model;
}

Status read_plan(const std::string& path, const ExperimentFile& file, const std::string& plan,
                 sim::KnownModel& model) {
  if (plan.empty()) return success();
  if (plan.starts_with("ftp:")) {
    auto scheme = parse_ftp(plan);
    if (!scheme) return bad_input(path + ": " + scheme.error());
    model.ftp = *scheme;
    return success();
  }
  std::vector<NodeId> members;
  for (const ClusterFileNode& node : file.cluster.nodes) members.push_back(node.id);
  auto rotation = read_plan_file(beside_file(path, plan), *model.model, members);
  if (!rotation) return bad_input(path + ": model '" + model.name + "': " + rotation.error());
  model.rotation = std::move(*rotation);
  return success();
}

Provenance provenance_of(const std::string& path, const sim::Experiment& experiment,
                         const std::vector<sim::KnownModel>& models) {
  Provenance provenance{
      .file = path, .experiment = sha256(print(experiment.file) + print(experiment.file.cluster))};
  for (const sim::KnownModel& model : models)
    provenance.models.emplace_back(model.name, model.model->hash);
  for (size_t i = 0; i < experiment.sources.size(); ++i)
    for (const Turn& turn : experiment.sources[i].rotation)
      provenance.plans.emplace_back("source " + std::to_string(i + 1), hash_of(turn.plan));
  std::map<std::string, Hash> profiles;
  for (const ClusterFileNode& node : experiment.file.cluster.nodes) {
    if (node.device) profiles[node.profile] = sha256(print(*node.device));
    if (node.spec) profiles["board " + node.board] = sha256(print(*node.spec));
  }
  provenance.profiles.assign(profiles.begin(), profiles.end());
  return provenance;
}

}  // namespace

Result<std::vector<sim::KnownModel>> read_models(const std::string& path,
                                                 const ExperimentFile& experiment,
                                                 std::vector<ModelFile>& files) {
  std::vector<sim::KnownModel> models;
  for (const ExperimentModel& model : experiment.models) {
    auto made = model.file.empty() ? described(path, model)
                                   : from_file(beside_file(path, model.file), model.head, files);
    if (!made) return made.failure();
    models.push_back({.name = model.name, .model = std::move(*made)});
  }
  return models;
}

Status read_plans(const std::string& path, const ExperimentFile& experiment,
                  std::vector<sim::KnownModel>& models) {
  for (size_t i = 0; i < models.size(); ++i)
    if (const Status read = read_plan(path, experiment, experiment.models[i].plan, models[i]);
        !read)
      return read;
  return success();
}

Result<ReadExperiment> read_experiment(const std::string& path) {
  auto file = load_experiment(path);
  if (!file) return file.failure();
  ReadExperiment result;
  auto models = read_models(path, *file, result.files);
  if (!models) return models.failure();
  if (const Status read = read_plans(path, *file, *models); !read) return read.failure();
  auto experiment = sim::prepare(std::move(*file), *models);
  if (!experiment) return Error{path + ": " + experiment.error(), experiment.failure().kind};
  result.experiment = std::move(*experiment);
  result.provenance = provenance_of(path, result.experiment, *models);
  return result;
}

}  // namespace shingle

// Reads an experiment with all that its file names: cluster, models, plans.
#pragma once

#include <string>

#include "apps/models/model_file.hpp"
#include "sim/experiment/experiment.hpp"

namespace shingle {

// What a result came from. Equal hashes and equal seeds give equal results.
struct Provenance {
  std::string file;
  Hash experiment{};                                      // of its printed text, cluster included
  std::vector<std::pair<std::string, Hash>> models{};     // by name in the file
  std::vector<std::pair<std::string, PlanHash>> plans{};  // by source
  std::vector<std::pair<std::string, Hash>> profiles{};   // by name, and boards
};

struct ReadExperiment {
  std::vector<ModelFile> files;  // that hold weights of the models
  sim::Experiment experiment;
  Provenance provenance;
};

// The models that the experiment of that file names, without their plans. Files that hold weights
// are appended to `files`, which must live as long as the models.
Result<std::vector<sim::KnownModel>> read_models(const std::string& path,
                                                 const ExperimentFile& experiment,
                                                 std::vector<ModelFile>& files);
// The plans that it names, from files or as a scheme. REQUIRES: `models` as read_models() has them.
Status read_plans(const std::string& path, const ExperimentFile& experiment,
                  std::vector<sim::KnownModel>& models);

// Plans where the file names no plan, which takes up to a second per source. The sentence names the
// file, and the line where there is one.
Result<ReadExperiment> read_experiment(const std::string& path);

}  // namespace shingle

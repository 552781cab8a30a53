// The models of a run: the main one, and further ones that compute every n-th frame beside it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/run/fixed_inputs.hpp"
#include "apps/run/run_options.hpp"

namespace shingle {

struct RunModel {
  std::string name;    // of a further model; empty: the main one
  uint64_t every = 1;  // it computes frames 0, every, 2 * every, ...
  ModelPath path;
  std::shared_ptr<ModelFile> file;
  Reading reading;
  FixedInputs inputs{};

  std::shared_ptr<const Model> model() const { return {file, &file->model}; }
};

// Opened, and made to take pictures: the main one first, then the others in the order of the
// command line. The sentence names the file.
Result<std::vector<RunModel>> open_run_models(const RunOptions& options);

}  // namespace shingle

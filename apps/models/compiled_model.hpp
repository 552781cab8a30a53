// Compiled files: compile() writes one from a model and a plan; open_compiled_model() opens one as
// a model without the weights that it holds packed.
#pragma once

#include "apps/models/model_file.hpp"
#include "devices/weights/compiled_file.hpp"
#include "partition/plan/plan.hpp"

namespace shingle {

struct CompileOrder {
  const ModelFile&
      file;  // its model as it will be computed: after take_picture(), if it takes pictures
  const Plan& plan;
  bool capped = false;  // for nodes with a memory cap: keeps no transformed weights
};

struct Compiled {
  Hash hash;  // of model, plan and kernels
  size_t layers_packed = 0;
  int64_t packed_bytes = 0, kept_bytes = 0;
  int64_t arena_bytes = 0;  // of the tile that needs the most
};

// Packs the weights that the plan's tiles need and writes the file.
Result<Compiled> compile(const CompileOrder& order, const std::string& path);

// The model of a compiled file, with the name and sizes of the model that it was made from. Weights
// that the file leaves out have no data. The sentence names the file.
Result<ModelFile> open_compiled_model(const std::string& path, const OnnxOptions& options = {});

// Opens those of `paths` that are compiled files, for an executor. The sentence names a file that
// is damaged or was made for other kernels than this machine's.
Result<CompiledFiles> compiled_among(const std::vector<std::string>& paths);

}  // namespace shingle

// A compiled file as a model: written from one, and opened as one whose packed weights are left
// out.
#pragma once

#include "apps/models/model_file.hpp"
#include "devices/weights/compiled_file.hpp"
#include "partition/plan/plan.hpp"

namespace shingle {

struct CompileOrder {
  const ModelFile& file;  // its model as it will be computed: after take_picture, where it is
  const Plan& plan;
  bool capped = false;  // for nodes with a memory cap: no weights kept transformed
};

struct Compiled {
  Hash hash;  // of what was made: model, plan, kernels
  size_t layers_packed = 0;
  int64_t packed_bytes = 0, kept_bytes = 0;
  int64_t arena_bytes = 0;  // of the tile that needs most
};

// Packs what the tiles need and writes the file.
Result<Compiled> compile(const CompileOrder& order, const std::string& path);

// The model of a compiled file, named and sized as the model that it was made from. Weights that
// are not in it have no data. The sentence names the file.
Result<ModelFile> open_compiled_model(const std::string& path, const OnnxOptions& wishes = {});

// Those of `paths` that are compiled files, for an executor. The sentence names one that is damaged
// or was made for other kernels than this machine's.
Result<CompiledFiles> compiled_among(const std::vector<std::string>& paths);

}  // namespace shingle

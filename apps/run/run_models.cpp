#include "apps/run/run_models.hpp"

#include "apps/heads/usual_size.hpp"
#include "apps/run/further_model.hpp"

namespace shingle {
namespace {

Result<RunModel> opened(RunModel run, const OnnxOptions& onnx, const ReadingOptions& reading,
                        const std::vector<std::string>& inputs, FileHashes& hashes) {
  auto file = open_model(run.path, hashes, onnx);
  if (!file) return bad_input(file.error());
  run.file = std::make_shared<ModelFile>(std::move(*file));
  if (const Status chosen = choose_reading(*run.file, reading, run.reading); !chosen)
    return chosen.failure();
  const auto picture = picture_input(run.file->model);
  if (!picture) return bad_input("cannot take '" + run.path.path + "': " + picture.error());
  auto fixed = read_fixed_inputs(run.file->model, *picture, inputs);
  if (!fixed && !run.name.empty())
    return usage_error("model '" + run.name + "' ('" + run.path.path +
                       "') takes more than a picture; only the main model can");
  if (!fixed) return fixed.failure();
  run.inputs = std::move(*fixed);
  if (const Status taken = take_picture(run.file->model, run.reading.preparation); !taken)
    return bad_input("cannot take '" + run.path.path + "': " + taken.error());
  return run;
}

// The options for reading are those of the main model. The others are read as their files say.
OnnxOptions onnx_options_of_further(const RunOptions& options) {
  OnnxOptions onnx = onnx_options_of(options.model);
  onnx.shapes = {};
  onnx.opset = 0;
  onnx.advice = [](const OpenModel& model, const ReadAtSizes& read_at) {
    const bool sizes_help = usual_shape(model, read_at).has_value();
    return sizes_help ? std::optional<std::string>("export or compile it with a fixed size")
                      : std::nullopt;
  };
  return onnx;
}

}  // namespace

Result<std::vector<RunModel>> open_run_models(const RunOptions& options) {
  const auto further = read_further_models(options.further_models);
  if (!further) return further.failure();
  FileHashes hashes(hashes_file(options.packed));
  std::vector<RunModel> models;
  auto main =
      opened({.name = {}, .path = options.model.where(), .file = nullptr, .reading = {}},
             sized_by_plan(options.model, options.plan), options.reading, options.inputs, hashes);
  if (!main) return main.failure();
  models.push_back(std::move(*main));
  for (const FurtherModel& each : *further) {
    auto model = opened({.name = each.name,
                         .every = each.every,
                         .path = ModelPath(each.path),
                         .file = nullptr,
                         .reading = {}},
                        onnx_options_of_further(options), {}, {}, hashes);
    if (!model) return model.failure();
    models.push_back(std::move(*model));
  }
  return models;
}

}  // namespace shingle

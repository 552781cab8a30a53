#include "devices/executor/program_check.hpp"

#include <algorithm>

#include "devices/executor/weighted_window.hpp"

namespace shingle {

Status check_program(const Model& model, const TileProgram& program) {
  for (const Slice& output : program.outputs) {
    const bool made =
        std::any_of(program.steps.begin(), program.steps.end(), [&](const Step& step) {
          return model.at(step.layer).output == output.tensor &&
                 contains(step.output, output.region);
        });
    if (!made) {
      return Error{"output '" + model.at(output.tensor).name +
                   "' is an input or a constant of the model: no layer computes it"};
    }
  }
  return success();
}

bool has_weights(const Model& model, const Layer& layer) {
  const std::optional<WeightedWindow> op = weighted_window(layer);
  return !op || model.at(op->weights).data != nullptr;
}

Error weights_missing(const Layer& layer) {
  return Error{
      "layer '" + layer.name +
      "' has no weights here: the model is a compiled one, which runs on the kernels and by "
      "the plan that it was compiled for"};
}

Status check_whole_program(const Model& model, const TileProgram& program) {
  for (const Step& step : program.steps) {
    const Layer& layer = model.at(step.layer);
    if (!has_weights(model, layer)) return weights_missing(layer);
  }
  return check_program(model, program);
}

}  // namespace shingle

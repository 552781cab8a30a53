#include "devices/program_check.hpp"

#include <algorithm>

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

}  // namespace shingle

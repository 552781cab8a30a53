// The options that say which model, and how its file is read, the same for every verb that takes
// one.
#include <CLI/CLI.hpp>

#include "apps/cli/common_options.hpp"
#include "apps/client/plan_file.hpp"
#include "apps/heads/usual_size.hpp"
#include "apps/run/model_options.hpp"
#include "partition/readers/onnx/opsets.hpp"

namespace shingle {
namespace {

std::string check_shape(const std::string& text) {
  if (read_input_shapes(text)) return "";
  return "'" + text +
         "' is not a shape; write the sizes of the model's input in its file's order, such as "
         "1x3x480x640";
}

}  // namespace

void describe(CLI::App& verb, ModelChoice& model, bool required) {
  verb.add_option("MODEL", model.path, "an ONNX file, or a Darknet .cfg")
      ->type_name("")
      ->required(required);
  verb.add_option("--weights", model.weights,
                  "weights of a Darknet .cfg (default: NAME.weights beside it)")
      ->type_name("FILE");
  verb.add_option("--shape", model.shape,
                  "size of an ONNX model's input if its file leaves that open, such as 1x3x480x640")
      ->type_name("SIZES")
      ->check(checked(check_shape));
  verb.add_option("--opset", model.opset,
                  "read an ONNX file as one of this opset (default: the opset that it names)")
      ->type_name("N")
      ->check(CLI::Range(onnx::oldest_opset, onnx::newest_opset));
  describe_max_constants(verb, model.max_constants);
}

OnnxOptions onnx_options_of(const ModelChoice& model) {
  OnnxOptions options{.shapes = {},
                      .constant_bytes = constant_bytes_of(model.max_constants, 0),
                      .opset = model.opset,
                      .advice = usual_shape};
  if (!model.shape.empty()) options.shapes = read_input_shapes(model.shape).value();
  return options;
}

OnnxOptions sized_by_plan(const ModelChoice& model, const std::string& plan_file) {
  OnnxOptions options = onnx_options_of(model);
  if (options.shapes.empty() && !plan_file.empty()) options.shapes = shapes_in_plan_file(plan_file);
  return options;
}

}  // namespace shingle

// The options that say which model, and how its file is read, the same for every verb that takes
// one.
#include <CLI/CLI.hpp>

#include "apps/client/plan_file.hpp"
#include "apps/shingle/verbs.hpp"

namespace shingle {
namespace {

CLI::Validator checked(std::string (*check)(const std::string&)) {
  return CLI::Validator([check](const std::string& text) { return check(text); }, "");
}

std::string check_shape(const std::string& text) {
  if (read_input_shapes(text)) return "";
  return "'" + text +
         "' is no shape; write the sizes of the model's input in its file's order, as 1x3x480x640";
}

std::string check_memory(const std::string& text) {
  const auto bytes = memory_cap(text);
  return bytes ? "" : bytes.error();
}

}  // namespace

void describe_max_constants(CLI::App& verb, std::string& max_constants) {
  verb.add_option("--max-constants", max_constants,
                  "what constants that an ONNX file computes may take, as 512MiB (half of the "
                  "memory)")
      ->type_name("SIZE")
      ->check(checked(check_memory));
}

void describe(CLI::App& verb, ModelChoice& model, bool required) {
  verb.add_option("MODEL", model.path, "an ONNX file, or a Darknet .cfg")
      ->type_name("")
      ->required(required);
  verb.add_option("--weights", model.weights, "of a Darknet .cfg (beside it: NAME.weights)")
      ->type_name("FILE");
  verb.add_option("--shape", model.shape,
                  "size of an ONNX model's input, where its file leaves that open, as 1x3x480x640")
      ->type_name("SIZES")
      ->check(checked(check_shape));
  describe_max_constants(verb, model.max_constants);
}

OnnxOptions onnx_options_of(const ModelChoice& model) {
  OnnxOptions wishes{.shapes = {}, .constant_bytes = constant_bytes_of(model.max_constants, 0)};
  if (!model.shape.empty()) wishes.shapes = read_input_shapes(model.shape).value();
  return wishes;
}

OnnxOptions sized_by_plan(const ModelChoice& model, const std::string& plan_file) {
  OnnxOptions wishes = onnx_options_of(model);
  if (wishes.shapes.empty() && !plan_file.empty()) wishes.shapes = shapes_in_plan_file(plan_file);
  return wishes;
}

int64_t constant_bytes_of(const std::string& max_constants, int64_t memory_cap) {
  return max_constants.empty() ? usual_constant_bytes(memory_cap)
                               : shingle::memory_cap(max_constants).value();
}

}  // namespace shingle

#include "tests/library/session_fixture.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/client/bare_machine.hpp"
#include "apps/client/session.hpp"
#include "apps/models/model_file.hpp"
#include "partition/plan/rotation.hpp"
#include "tests/networks/networks.hpp"
#include "tests/places.hpp"

namespace shingle::testing {

namespace fs = std::filesystem;

std::string node_program() {
  return (fs::path(shingle_program()).parent_path() / "shingle-node").string();
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string tiny_model(const ScratchFolder& folder) {
  const Model model = networks::make("tiny", 32, 1).value();
  return folder.with_text("tiny.onnx", networks::to_onnx(model));
}

TestOptions::TestOptions(const OptionTexts& texts) {
  REQUIRE(shingle_options_new(&handle) == SHINGLE_OK);
  REQUIRE(shingle_options_set(handle, "node-program", node_program().c_str()) == SHINGLE_OK);
  for (const auto& [name, value] : texts)
    REQUIRE_MESSAGE(shingle_options_set(handle, name.c_str(), value.c_str()) == SHINGLE_OK,
                    std::string(shingle_error()));
}

TestSession::TestSession(const OptionTexts& texts) : TestSession(TestOptions(texts)) {}

TestSession::TestSession(const TestOptions& options) {
  REQUIRE_MESSAGE(shingle_open(options.handle, &handle) == SHINGLE_OK,
                  std::string(shingle_error()));
  REQUIRE(handle != nullptr);
}

OptionTexts TinySession::with_usual(OptionTexts texts, const std::string& model) {
  texts.try_emplace("model", model);
  texts.try_emplace("workers", "2");
  return texts;
}

TinySession::TinySession(OptionTexts further)
    : model(tiny_model(folder)), session(with_usual(std::move(further), model)) {}

shingle_tensor dense(const std::vector<float>& values, const std::vector<int64_t>& dims) {
  shingle_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  tensor.type = SHINGLE_F32;
  tensor.rank = static_cast<int32_t>(dims.size());
  std::ranges::copy(dims, tensor.dims);
  tensor.data = values.data();
  tensor.size = values.size() * sizeof(float);
  return tensor;
}

const std::vector<int64_t>& tiny_dims() {
  static const std::vector<int64_t> dims{1, 3, 32, 32};
  return dims;
}

std::vector<float> tiny_input(uint64_t seed) {
  return networks::random_input({.h = 32, .w = 32, .c = 3}, seed);
}

shingle_request* submitted(shingle_session* session, const std::vector<float>& values,
                           const shingle_submission* submission) {
  const shingle_tensor input = dense(values, tiny_dims());
  shingle_request* request = nullptr;
  const shingle_code code = shingle_submit(session, &input, 1, submission, &request);
  REQUIRE_MESSAGE(code == SHINGLE_OK, std::string(shingle_error()));
  return request;
}

std::vector<float> first_output(shingle_request* request) {
  shingle_tensor output{};
  output.struct_size = sizeof output;
  REQUIRE_MESSAGE(shingle_output(request, 0, &output) == SHINGLE_OK, std::string(shingle_error()));
  const auto* values = static_cast<const float*>(output.data);
  return {values, values + output.size / sizeof(float)};
}

std::vector<float> computed(shingle_session* session, const std::vector<float>& values) {
  shingle_request* request = submitted(session, values);
  REQUIRE_MESSAGE(shingle_wait(request, -1) == SHINGLE_OK, std::string(shingle_error()));
  std::vector<float> output = first_output(request);
  CHECK(shingle_request_free(request) == SHINGLE_OK);
  return output;
}

std::vector<float> alone(shingle_session* session, const std::string& path,
                         const std::vector<float>& values) {
  char* text = nullptr;
  REQUIRE(shingle_plan(session, &text) == SHINGLE_OK);
  const Rotation rotation = parse_rotation(text).value();
  shingle_text_free(text);
  const ModelFile file = open_model(ModelPath(path)).value();
  const Shape shape = file.model.at(file.model.inputs[0]).shape;
  std::vector<float> ordered(values.size());  // rows, columns, channels
  for (int32_t y = 0, at = 0; y < shape.h; ++y)
    for (int32_t x = 0; x < shape.w; ++x)
      for (int32_t c = 0; c < shape.c; ++c, ++at)
        ordered[static_cast<size_t>(at)] =
            values[static_cast<size_t>((c * shape.h + y) * shape.w + x)];
  BareMachine machine = BareMachine::make(file.model, make_executor({}).value(),
                                          whole_program(file.model, rotation.front().plan))
                            .value();
  const auto outputs = machine.compute(std::as_bytes(std::span(ordered))).value();
  std::vector<float> box(outputs[0].size() / sizeof(float));
  std::memcpy(box.data(), outputs[0].data(), outputs[0].size());
  const ModelOutput& output = file.model.outputs[0];
  return in_file_order(output, file.model.at(output.tensor).shape, box);
}

void check_refused(shingle_code code, shingle_code expected, const std::string& part) {
  const std::string sentence = shingle_error();
  CHECK_MESSAGE(code == expected, sentence);
  CHECK_MESSAGE(sentence.find(part) != std::string::npos, sentence);
  CHECK(sentence.find('\n') == std::string::npos);
}

std::vector<int> children() {
  std::vector<int> found;
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (int child = 0; list >> child;) found.push_back(child);
  }
  return found;
}

namespace {

size_t entries_of(const char* folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

size_t open_files() { return entries_of("/proc/self/fd"); }
size_t threads() { return entries_of("/proc/self/task"); }

}  // namespace shingle::testing

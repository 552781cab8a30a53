// The inputs of a model that take no picture: `shingle run --input NAME=FILE`.
#include "apps/run/fixed_inputs.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "apps/models/take_picture.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/networks/onnx_graph.hpp"

namespace shingle {
namespace {

// A picture times a map of two channels and a gain for each, as ONNX and as the reader makes it.
std::string gained() {
  networks::OnnxGraph graph;
  graph.input("mask", {1, 2, 24, 32}, ElementType::f32);
  graph.input("image", {1, 3, 24, 32}, ElementType::f32);
  graph.input("gain", {1, 2, 1, 1}, ElementType::f32);
  std::vector<float> weights;
  for (int i = 0; i < 2 * 3 * 9; ++i) weights.push_back(0.01F * static_cast<float>(i - 20));
  const std::string seen = graph.node("Conv", {"image", graph.floats({2, 3, 3, 3}, weights)},
                                      {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  const std::string masked = graph.node("Mul", {seen, "mask"});
  graph.node("Mul", {masked, "gain"}, {}, "out");
  graph.output("out", {1, 2, 24, 32});
  return graph.file();
}

Model two_inputs() {
  Model model;
  add_input(model, "image", {4, 4, 3});
  add_input(model, "pairs", {1, 2, 2});
  return model;
}

std::string file_of(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<float> floats_of(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST_CASE("of several inputs the only one that could be a picture takes it") {
  Model model = two_inputs();
  REQUIRE(picture_input(model).ok());
  CHECK(*picture_input(model) == model.inputs[0]);
  add_input(model, "depth", {4, 4, 1});
  REQUIRE_FALSE(picture_input(model).ok());
  CHECK(picture_input(model).error() == "of the model's 3 inputs more than one could be a picture");
}

TEST_CASE("a picture in front of one input leaves the others as they are") {
  Model model = two_inputs();
  const TensorId image = model.inputs[0], pairs = model.inputs[1];
  REQUIRE(take_picture(model, Preparation{}).ok());
  CHECK(model.at(image).type == ElementType::u8);
  CHECK(model.at(pairs).type == ElementType::f32);
  CHECK(model.inputs == std::vector<TensorId>{image, pairs});
}

TEST_CASE("a file of an input has the channels first, its map has them last") {
  const ScratchFolder folder;
  const Model model = two_inputs();
  const std::string file = folder.with_text("pairs.f32", file_of({1, 2, 10, 20}));
  const auto inputs = read_fixed_inputs(model, model.inputs[0], {"pairs=" + file});
  REQUIRE(inputs.ok());
  CHECK(inputs->picture == 0);
  const auto image = std::make_shared<const std::vector<std::byte>>(4 * 4 * 3);
  const FrameInputs frame = inputs->with(image, nullptr);
  REQUIRE(frame.tensors.size() == 2);
  CHECK(frame.tensors[0] == image);
  CHECK(floats_of(*frame.tensors[1]) == std::vector<float>{1, 10, 2, 20});
}

TEST_CASE("an input that is not given, not known or of another size is refused with its name") {
  const ScratchFolder folder;
  const Model model = two_inputs();
  const std::string small = folder.with_text("small.f32", file_of({1, 2, 3}));
  const std::string large = folder.with_text("large.f32", file_of({1, 2, 3, 4, 5}));
  const auto refusal = [&](const std::vector<std::string>& texts, ErrorKind kind) {
    const auto inputs = read_fixed_inputs(model, model.inputs[0], texts);
    REQUIRE_FALSE(inputs.ok());
    CHECK(inputs.failure().kind == kind);
    return inputs.error();
  };
  CHECK(refusal({}, ErrorKind::usage) ==
        "the model takes more than a picture: 'pairs' (4 float32 values); give each as --input "
        "NAME=FILE");
  CHECK(has(refusal({"pears=" + small}, ErrorKind::usage), "has no input 'pears'"));
  CHECK(has(refusal({"image=" + small}, ErrorKind::usage), "besides its picture"));
  CHECK(has(refusal({"pairs=" + folder.path() + "/run=3/none"}, ErrorKind::bad_input), "run=3"));
  CHECK(has(refusal({"pairs"}, ErrorKind::usage), "NAME=FILE"));
  CHECK(has(refusal({"pairs=" + small}, ErrorKind::bad_input), "only 12 bytes"));
  CHECK(has(refusal({"pairs=" + large}, ErrorKind::bad_input), "more than 16 bytes"));
  CHECK(has(refusal({"pairs=" + folder.path() + "/none"}, ErrorKind::bad_input), "none"));
}

TEST_CASE("a model with three inputs runs on two workers, every byte equal") {
  const ScratchFolder folder;
  const std::string model = folder.with_text("gained.onnx", gained());
  std::vector<float> mask(2 * 24 * 32);
  for (size_t i = 0; i < mask.size(); ++i) mask[i] = static_cast<float>(i % 7);
  const std::string mask_file = folder.with_text("mask.f32", file_of(mask));
  const std::string gain_file = folder.with_text("gain.f32", file_of({2.0F, -0.5F}));
  Program program({"run", model, image_in(folder), "--input", "mask=" + mask_file, "--input",
                   "gain=" + gain_file, "--workers", "2", "--json", "--verify"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(nlohmann::json::parse(program.out_lines().back())["identical"] == true);
  Program without({"run", model, image_in(folder), "--workers", "2"});
  check_refusal(without, "exit code 2", "'mask' (1536 float32 values), 'gain' (2 float32 values)");
}

TEST_CASE("a model with three inputs is verified layer by layer and under soft errors") {
  const ScratchFolder folder;
  const std::string model = folder.with_text("gained.onnx", gained());
  Program layers({"verify", model});
  CHECK_MESSAGE(layers.end() == "exit code 0", layers.err());
  Program errors({"verify", model, "--soft-errors", "--flips", "12", "--json"});
  CHECK_MESSAGE(errors.end() == "exit code 0", errors.err());
}

}  // namespace
}  // namespace shingle

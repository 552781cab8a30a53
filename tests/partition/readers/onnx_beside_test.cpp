// Information that is not in the ONNX file itself: sizes that it leaves open, and files that hold
// its tensors.
#include <doctest/doctest.h>

#include <cstring>

#include "partition/readers/onnx.hpp"
#include "partition/search/planner.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using networks::OnnxGraph;
using Texts = std::vector<std::string>;

namespace {

bool holds(const std::string& sentence, std::string_view part) {
  return sentence.find(part) != std::string::npos;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// A convolution on an input of `dims`.
std::string open_file(const Texts& dims) {
  OnnxGraph graph;
  graph.open_input("images", dims);
  const std::string weights = graph.floats({4, 3, 3, 3}, std::vector<float>(108, 0.5F));
  graph.node("Conv", {"images", weights}, {}, "out");
  graph.output("out", {});
  return graph.file();
}

Result<Model> sized(const std::string& file, const InputShapes& shapes) {
  return read_onnx(bytes_of(file), {}, {.shapes = shapes});
}

std::string refusal(const Result<Model>& model) {
  return model.ok() ? "it was read" : model.error();
}

// One PReLU whose four slopes are at `place`.
std::string external_file(const OnnxGraph::Place& place) {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  graph.node("PRelu", {"in", graph.external({4, 1, 1}, place)}, {}, "out");
  graph.output("out", {});
  return graph.file();
}

Result<Model> read_beside(const std::string& file, const std::vector<OnnxExternal>& external) {
  return read_onnx(bytes_of(file), {}, {.external = external});
}

std::string floats_as_text(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

}  // namespace

TEST_CASE("An open size is refused by its name, and a batch that is open is 1") {
  CHECK(refusal(sized(open_file({"batch", "3", "height", "width"}), {})) ==
        "input 'images' is batch x 3 x height x width, and the file does not say how much 'height' "
        "is");
  CHECK(refusal(sized(open_file({"", "3", "8", ""}), {})) ==
        "input 'images' is ? x 3 x 8 x ?, and the file does not say its dimension 3");
  CHECK(sized(open_file({"batch", "3", "8", "8"}), {}).ok());
}

TEST_CASE("Sizes that are said make another model of the same file, whoever says them") {
  const std::string file = open_file({"batch", "3", "height", "width"});
  const auto model = sized(file, {{1, 3, 12, 20}});
  REQUIRE_MESSAGE(model.ok(), model.error());
  CHECK(model->at(model->inputs[0]).shape == Shape{12, 20, 3});
  REQUIRE(model->sized.has_value());
  CHECK(model->sized->of == sha256(file));
  CHECK(model->sized->shapes == InputShapes{{1, 3, 12, 20}});
  CHECK(model->hash != sha256(file));
  CHECK(file_hash(name_of(*model)) == sha256(file));
  CHECK(sized(file, model->sized->shapes)->hash == model->hash);
  CHECK(sized(file, {{1, 3, 20, 12}})->hash != model->hash);
}

TEST_CASE("Sizes equal to those of the file change nothing") {
  for (const Texts& dims : {Texts{"1", "3", "8", "9"}, Texts{"batch", "3", "8", "9"}}) {
    const std::string file = open_file(dims);
    const auto alone = sized(file, {}), said = sized(file, {{1, 3, 8, 9}});
    REQUIRE_MESSAGE(said.ok(), said.error());
    CHECK(said->hash == alone->hash);
    CHECK_FALSE(said->sized.has_value());
  }
}

TEST_CASE("What does not fit the file is refused with the file's sizes") {
  const std::string file = open_file({"batch", "3", "height", "width"});
  CHECK(holds(refusal(sized(file, {{3, 8, 8}})), "which has 4 dimensions, and 3x8x8 has 3"));
  CHECK(holds(refusal(sized(file, {{1, 4, 8, 8}})), "1x4x8x8 does not fit: dimension 1 is 3"));
  CHECK(holds(refusal(sized(file, {{1, 3, 8, 8}, {1}})), "sizes of 2 inputs are given"));
  CHECK(holds(refusal(sized(file, {{1, 3, 1 << 21, 8}})), "a dimension is 1 to 1048576"));
  CHECK(holds(refusal(sized(file, {{1, 3, 1 << 20, 1 << 20}})), "more than 1073741824 elements"));
  CHECK(holds(refusal(sized(file, {{1, 3, -8, 8}})), "a dimension is 1 to"));
  CHECK(holds(refusal(sized(file, {{1, 3, 2, 2}})), "0x0"));  // the window does not fit
}

TEST_CASE("One name is one size, in every input that has it") {
  OnnxGraph graph;
  graph.open_input("a", {"batch", "2", "height", "width"});
  graph.open_input("b", {"batch", "2", "height", "width"});
  graph.node("Add", {"a", "b"}, {}, "out");
  graph.output("out", {});
  const std::string file = graph.file();
  const auto first = sized(file, {{1, 2, 5, 7}});
  REQUIRE_MESSAGE(first.ok(), first.error());
  CHECK(first->at(first->inputs[1]).shape == Shape{5, 7, 2});
  CHECK(sized(file, {{1, 2, 5, 7}, {1, 2, 5, 7}})->hash == first->hash);
  CHECK(holds(refusal(sized(file, {{1, 2, 5, 7}, {1, 2, 5, 8}})), "dimension 3 is 7"));
}

TEST_CASE("A plan says of what size its model is, and its text reads back") {
  const auto model = sized(open_file({"batch", "3", "height", "width"}), {{1, 3, 12, 20}});
  Cluster cluster;
  for (uint32_t i = 0; i < 2; ++i) cluster.nodes.push_back({.id = NodeId{i}});
  const Plan plan = make_plan(*model, cluster).value();
  const std::string text = print(plan);
  CHECK(holds(text, "\nshape of " + to_string(model->sized->of) + " 1x3x12x20\n"));
  const auto again = parse_plan(text);
  REQUIRE_MESSAGE(again.ok(), again.error());
  CHECK(again->sized == model->sized);
  CHECK(hash_of(*again) == hash_of(plan));
  Plan other = plan;
  other.sized->shapes[0][2] = 13;
  CHECK(hash_of(other) != hash_of(plan));
  CHECK_FALSE(defects(other, *model).empty());
}

TEST_CASE("A text that is not a list of shapes is refused") {
  for (const char* text : {"", "x", "1x", "x1", "1x3x0x4", "1x3x-4x4", "1x3xhxw", "1,", ",1",
                           "1 x3", "1x1048577", "99999999999999999999", "1x2 "})
    CHECK_FALSE(read_input_shapes(text).has_value());
  std::string long_text = "1";
  for (int i = 0; i < 15; ++i) long_text += "x1";
  CHECK(read_input_shapes(long_text).has_value());
  CHECK_FALSE(read_input_shapes(long_text + "x1").has_value());
  for (const char* text : {"1", "1x3x480x640", "1x3x8x8,1x1x8x8"})
    CHECK(to_string(read_input_shapes(text).value()) == text);
}

TEST_CASE("Tensors are read where another file holds them, and its bytes are part of the name") {
  const std::string slopes = floats_as_text({9, 9, 1, 2, 3, 4, 9});
  for (const OnnxGraph::Place& place :
       {OnnxGraph::Place{"w.bin", "8", "16"}, OnnxGraph::Place{"w.bin", "8", ""}}) {
    const std::string file = external_file(place);
    const auto files = onnx_external_files(bytes_of(file));
    REQUIRE(files.ok());
    CHECK(*files == Texts{"w.bin"});
    const auto model = read_beside(file, {{"w.bin", bytes_of(slopes)}});
    REQUIRE_MESSAGE(model.ok(), model.error());
    bool found = false;
    for (const FloatView& view : model->constants)
      found = found || (view.count == 4 && view[0] == 1.0F && view[3] == 4.0F);
    CHECK(found);
    const std::string others = floats_as_text({9, 9, 1, 2, 3, 4, 8});
    CHECK(read_beside(file, {{"w.bin", bytes_of(others)}})->hash != model->hash);
    CHECK(model->hash != sha256(file));
  }
}

TEST_CASE("Tensors that lie beside, behind or nowhere are refused by their name") {
  const std::string slopes = floats_as_text({1, 2, 3, 4});
  const auto of = [&](const std::string& offset, const std::string& length) {
    return refusal(
        read_beside(external_file({"w.bin", offset, length}), {{"w.bin", bytes_of(slopes)}}));
  };
  CHECK(of("", "") == "it was read");
  CHECK(holds(of("4", ""), "lies after the end of 'w.bin'"));
  CHECK(holds(of("18446744073709551615", "16"), "lies after the end"));
  CHECK(holds(of("4", "18446744073709551612"), "lies after the end"));
  CHECK(holds(of("0", "12"), "does not hold as many elements"));
  CHECK(holds(of("-4", ""), "is no number"));
  CHECK(holds(of("4k", ""), "is no number"));
  CHECK(holds(of("99999999999999999999999", ""), "is no number"));
  CHECK(holds(refusal(read_beside(external_file({"w.bin", "", ""}), {})),
              "lies in another file, 'w.bin', which is not there"));
}

TEST_CASE("A path out of the model's folder is refused before anybody opens it") {
  for (const char* path : {"/etc/passwd", "../w.bin", "a/../../w.bin", "..", "a/.."}) {
    const std::string file = external_file({path, "", ""});
    const auto files = onnx_external_files(bytes_of(file));
    REQUIRE_FALSE(files.ok());
    CHECK(holds(files.error(), "which is not in the model's folder"));
  }
  const std::string null("a\0b", 3);
  CHECK_FALSE(onnx_external_files(bytes_of(external_file({null, "", ""}))).ok());
  CHECK_FALSE(onnx_external_files(bytes_of(external_file({"", "", ""}))).ok());
  CHECK(*onnx_external_files(bytes_of(external_file({"./a/..b/w.bin", "", ""}))) ==
        Texts{"./a/..b/w.bin"});
}

TEST_CASE("A file of very many files is refused") {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  for (int i = 0; i <= 4096; ++i) graph.external({1}, {std::to_string(i) + ".bin", "", ""});
  graph.node("Relu", {"in"}, {}, "out");
  graph.output("out", {});
  const auto files = onnx_external_files(bytes_of(graph.file()));
  REQUIRE_FALSE(files.ok());
  CHECK(holds(files.error(), "more than 4096 files"));
}

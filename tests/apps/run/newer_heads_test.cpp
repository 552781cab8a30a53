// `shingle run` with models whose inputs or answers are others than one picture and boxes.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/apps/verbs.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using networks::OnnxGraph;
using Json = nlohmann::json;

namespace {

// RT-DETR's inputs and outputs, around one box: its corners are shares of the picture's size.
std::string detector_of_one_box() {
  OnnxGraph graph;
  graph.input("images", {1, 3, 24, 32}, ElementType::f32);
  graph.input("orig_target_sizes", {1, 2}, ElementType::f32);
  const auto constant = [&](const char* name, float value) {
    const std::string pooled = graph.node("GlobalAveragePool", {"images"});
    const std::string wide = graph.node(
        "Conv", {pooled, graph.floats({1, 3, 1, 1}, {0, 0, 0}), graph.floats({1}, {value})});
    graph.node("Reshape", {wide, graph.integers({1, 1})}, {}, name);
    graph.output(name, {1, 1});
  };
  constant("labels", 3);
  const std::string corners =
      graph.node("Concat", {"orig_target_sizes", "orig_target_sizes"}, {{"axis", int64_t{1}}});
  const std::string shares = graph.floats({1, 4}, {0.25F, 0.5F, 0.75F, 1.0F});
  graph.node("Reshape", {graph.node("Mul", {corners, shares}), graph.integers({1, 1, 4})}, {},
             "boxes");
  graph.output("boxes", {1, 1, 4});
  constant("scores", 0.9F);
  return graph.file();
}

std::string doubler() {
  OnnxGraph graph;
  graph.input("images", {1, 3, 24, 32}, ElementType::f32);
  graph.node("Resize", {"images", "", graph.floats({4}, {1, 1, 2, 2})},
             {{"mode", std::string("nearest")},
              {"nearest_mode", std::string("floor")},
              {"coordinate_transformation_mode", std::string("asymmetric")}},
             "larger");
  graph.output("larger", {1, 3, 48, 64});
  return graph.file();
}

}  // namespace

TEST_CASE("an input for the picture's size is filled from the picture" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string model = folder.with_text("one_box.onnx", detector_of_one_box());
  Program program({"run", model, image_in(folder), "--workers", "2", "--verify", "--json"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  const Json frame = Json::parse(program.out_lines().front());  // of a picture of 160 x 120
  REQUIRE(frame["boxes"].size() == 1);
  CHECK(frame["boxes"][0]["class"] == 3);
  CHECK(frame["boxes"][0]["x"] == 40);
  CHECK(frame["boxes"][0]["y"] == 60);
  CHECK(frame["boxes"][0]["w"] == 80);
  CHECK(frame["boxes"][0]["h"] == 60);
  CHECK(Json::parse(program.out_lines().back())["identical"] == true);
}

TEST_CASE("a model's picture is written in the picture's place") {
  const ScratchFolder folder;
  const std::string model = folder.with_text("doubler.onnx", doubler());
  Program program({"run", model, image_in(folder), "--workers", "2", "--verify", "--json", "--out",
                   folder / "out.png"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(Json::parse(program.out_lines().front())["picture"] == Json({{"w", 64}, {"h", 48}}));
  CHECK(cv::imread(folder / "out.png").size() == cv::Size(64, 48));
}

// `shingle run` with detectors that suppress in their graphs: models/vehicles.onnx with the ends of
// exports behind it, on a photograph. The model's own head is the judge.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/apps/verbs.hpp"
#include "tests/networks/appended.hpp"
#include "tests/networks/detector_tails.hpp"
#include "tests/places.hpp"

using namespace shingle;
using networks::OnnxGraph;
using networks::TailOptions;
using Json = nlohmann::json;

namespace {

constexpr TailOptions options{.anchors = 5040, .classes = 1, .min_score = 0.3F, .most = 100};

std::string vehicles() { return source_folder() + "/models/vehicles.onnx"; }

std::string photograph() {
  const char* given = std::getenv("SHINGLE_DATA");
  const std::filesystem::path data = given != nullptr ? given : source_folder() + "/../shared/data";
  return data / "images/small-vehicles1.jpeg";
}

// Corners [1, anchors, 4] and scores [1, anchors, 1] of the model's rows.
struct Decoded {
  std::string boxes, scores;
};
Decoded decoded(OnnxGraph& graph) {
  std::vector<float> cells, strides;
  for (const int64_t stride : {8, 16, 32})
    for (int64_t y = 0; y < 384 / stride; ++y)
      for (int64_t x = 0; x < 640 / stride; ++x) {
        cells.insert(cells.end(), {static_cast<float>(x), static_cast<float>(y)});
        strides.push_back(static_cast<float>(stride));
      }
  const std::string stride = graph.floats({1, options.anchors, 1}, strides);
  const auto columns = [&](int64_t begin, int64_t end) {
    return graph.node(
        "Slice", {"rows", graph.integers({begin}), graph.integers({end}), graph.integers({2})});
  };
  const std::string middle = graph.node(
      "Mul",
      {graph.node("Add", {columns(0, 2), graph.floats({1, options.anchors, 2}, cells)}), stride});
  const std::string half = graph.node(
      "Mul", {graph.node("Mul", {graph.node("Exp", {columns(2, 4)}), stride}), graph.scalar(0.5F)});
  return {.boxes = graph.node(
              "Concat", {graph.node("Sub", {middle, half}), graph.node("Add", {middle, half})},
              {{"axis", int64_t{2}}}),
          .scores = graph.node("Mul", {columns(4, 5), columns(5, 6)})};
}

std::string with_ultralytics_end() {
  OnnxGraph tail;
  const auto [boxes, scores] = decoded(tail);
  tail.node("Identity", {networks::ultralytics_tail(tail, boxes, scores, options)}, {}, "output0");
  tail.output("output0", {});
  return networks::appended(contents(vehicles()), tail);
}

std::string with_torchvision_end() {
  OnnxGraph tail;
  const auto [boxes, scores] = decoded(tail);
  const std::string score = tail.node("Squeeze", {scores, tail.integers({0})});
  const std::string nothing = tail.node("Sub", {tail.scalar(1.0F), score});
  const std::string both = tail.node("Concat", {nothing, score}, {{"axis", int64_t{1}}});
  const std::string flat = tail.node("Squeeze", {boxes, tail.integers({0})});
  networks::torchvision_tail(tail, flat, both, options);
  return networks::appended(contents(vehicles()), tail);
}

std::vector<std::string> as_vehicles_sees(std::vector<std::string> arguments) {
  for (const char* more : {"--fit", "letterbox", "--colour", "bgr", "--mean", "0", "--std", "1",
                           "--score", "0.3", "--json", "--verify", "--workers", "4"})
    arguments.emplace_back(more);
  return arguments;
}

Json boxes_of(std::vector<std::string> arguments) {
  Program program(as_vehicles_sees(std::move(arguments)));
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(Json::parse(program.out_lines().back())["identical"] == true);
  return Json::parse(program.out_lines().front())["boxes"];
}

void check_alike(const Json& found, const Json& expected) {
  REQUIRE(found.size() == expected.size());
  CHECK(found.size() >= 3);
  for (size_t i = 0; i < found.size(); ++i) {
    for (const char* field : {"x", "y", "w", "h"})
      CHECK(std::abs(found[i][field].get<double>() - expected[i][field].get<double>()) < 0.1);
    CHECK(std::abs(found[i]["score"].get<double>() - expected[i]["score"].get<double>()) < 1e-4);
  }
}

}  // namespace

TEST_CASE("detectors that suppress in their graphs find what the head finds by itself" *
          doctest::test_suite("long")) {
  if (!std::filesystem::exists(photograph())) {
    MESSAGE("skipped: no " << photograph());
    return;
  }
  const ScratchFolder folder;
  const Json expected = boxes_of({"run", vehicles(), photograph(), "--nms", "0.45"});
  const std::string list = folder.with_text("ultralytics.onnx", with_ultralytics_end());
  check_alike(boxes_of({"run", list, photograph(), "--head", "end-to-end"}), expected);
  const std::string counted = folder.with_text("ssd.onnx", with_torchvision_end());
  check_alike(boxes_of({"run", counted, photograph(), "--head", "ssd"}), expected);
}

TEST_CASE("raw outputs hold the rows that count" * doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string model = folder.with_text("ssd.onnx", with_torchvision_end());
  Program program(as_vehicles_sees(
      {"run", model, image_in(folder), "--head", "ssd", "--raw-out", folder / "raw"}));
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  std::map<std::string, std::uintmax_t> floats;
  for (const auto& file : std::filesystem::directory_iterator(folder / "raw")) {
    const std::string name = file.path().filename();
    for (const char* output : {"boxes.count", "boxes", "scores", "labels"})
      if (name.find(output) != std::string::npos) {
        floats[output] = file.file_size() / sizeof(float);
        break;
      }
  }
  REQUIRE(floats.size() == 4);
  CHECK(floats["boxes.count"] == 1);
  CHECK(floats["boxes"] == 4 * floats["scores"]);
  CHECK(floats["labels"] == floats["scores"]);
  CHECK(floats["scores"] < 100);
}

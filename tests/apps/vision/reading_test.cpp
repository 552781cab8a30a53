// Which head a model gets by itself, which by name, and what its classes are called.
#include "apps/vision/reading.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "tests/apps/scratch_folder.hpp"
#include "tests/apps/vision/head_clues.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using networks::OnnxGraph;
using testing::Dims;

namespace {

// A file whose outputs have these dims: slices of one constant-free map, reshaped.
std::string file_with(Shape input, const std::vector<Dims>& outputs,
                      const OnnxMetadata& metadata = {}) {
  OnnxGraph graph;
  graph.input("image", {1, input.c, input.h, input.w}, ElementType::f32);
  const std::string sum = graph.node("GlobalAveragePool", {"image"});
  for (size_t i = 0; i < outputs.size(); ++i) {
    int64_t count = 1;
    for (const int64_t dim : outputs[i]) count *= dim;
    const std::string weights =
        graph.floats({count, input.c, 1, 1}, testing::uniform(count * input.c, -0.1F, 0.1F, i + 1));
    const std::string wide = graph.node("Conv", {sum, weights});
    const std::string name = "out" + std::to_string(i);
    graph.node("Reshape", {wide, graph.integers(outputs[i])}, {}, name);
    graph.output(name, outputs[i]);
  }
  for (const MetadataEntry& entry : metadata) graph.metadata(entry.key, entry.value);
  return graph.file();
}

struct Case {
  Shape input;
  std::vector<Dims> outputs;
  OnnxMetadata metadata = {};
};

Result<Reading> reading_of(const Case& given, const ReadingOptions& options = {}) {
  const ScratchFolder folder;
  const auto file = open_model(
      folder.with_text("model.onnx", file_with(given.input, given.outputs, given.metadata)));
  REQUIRE_MESSAGE(file.ok(), file.error());
  return choose_reading(*file, options);
}

std::string head_of(const Case& given, const ReadingOptions& options = {}) {
  const auto reading = reading_of(given, options);
  return reading ? reading->head->name : reading.error();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const Shape small{96, 96, 3};  // 189 cells, with stride 64 193
const OnnxMetadata two_names{{"names", "{0: 'cat', 1: 'dog'}"}};

}  // namespace

TEST_CASE("shapes with a number of classes that is known choose their head") {
  CHECK(head_of({small, {{1, 189, 85}}}) == "yolox");
  CHECK(head_of({small, {{1, 85, 6, 6}}}) == "fastestdet");
  CHECK(head_of({small, {{1, 84, 189}}}) == "yolov8");
  CHECK(head_of({small, {{1, 567, 85}}}) == "yolov5");
  CHECK(head_of({small, {{1, 193, 112}}}) == "nanodet");
  CHECK(head_of({small, {{1, 1000}}}) == "classification");
  CHECK(head_of({small, {{1, 1000, 1, 1}}}) == "classification");
}

TEST_CASE("names in the metadata make any number of classes known") {
  CHECK(head_of({small, {{1, 189, 7}}, two_names}) == "yolox");
  CHECK(head_of({small, {{1, 7, 6, 6}}, two_names}) == "fastestdet");
  CHECK(head_of({small, {{1, 6, 189}}, two_names}) == "yolov8");
  CHECK(head_of({small, {{1, 567, 7}}, two_names}) == "yolov5");
  CHECK(head_of({small, {{1, 193, 34}}, two_names}) == "nanodet");
  CHECK(head_of({small, {{1, 2}}, two_names}) == "classification");
  CHECK(head_of({small, {{1, 2, 16, 16}}, two_names}) == "segmentation");
  const auto reading = reading_of({small, {{1, 189, 7}}, two_names});
  CHECK(reading->names == ClassNames{"cat", "dog"});
}

TEST_CASE("what another network might say as well is raw until a head is named") {
  for (const Case& unsure : {Case{small, {{1, 189, 7}}},
                             {small, {{1, 6, 189}}},
                             {small, {{1, 512}}},
                             {small, {{1, 21, 64, 64}}},
                             {small, {{1, 1, 64, 64}}, two_names},
                             {small, {{1, 64, 64}}, two_names},
                             {small, {{1, 189, 112}}},
                             {small, {{1, 189, 85}}, two_names},
                             {small, {{1, 3, 12, 12, 85}}}})
    CHECK(head_of(unsure) == "raw");
  // 84 is 8x8 + 4x4 + 2x2 and 4 + 80, 85 is one more and 5 + 80: two heads fit.
  CHECK(head_of({{64, 64, 3}, {{1, 84, 85}}}) == "raw");
  CHECK(head_of({{64, 64, 3}, {{1, 84, 85}}}, {.head = "yolox"}) == "yolox");
  // YOLOv7's maps look the same but for the metadata.
  const std::vector<Dims> maps{{1, 3, 12, 12, 85}, {1, 3, 6, 6, 85}, {1, 3, 3, 3, 85}};
  CHECK(head_of({small, maps}) == "raw");
  CHECK(head_of({small, maps, {{"stride", "32"}}}) == "yolov5");
  // Anchors may have been fitted to a user's own classes.
  const std::vector<Dims> own{{1, 3, 12, 12, 7}, {1, 3, 6, 6, 7}, {1, 3, 3, 3, 7}};
  CHECK(head_of({small, own, {{"stride", "32"}, two_names[0]}}) == "raw");
  CHECK(head_of({small, maps}, {.head = "yolov5"}) == "yolov5");
}

TEST_CASE("a head that is named is taken where the shapes fit") {
  CHECK(head_of({small, {{1, 189, 7}}}, {.head = "yolox"}) == "yolox");
  CHECK(head_of({small, {{1, 512}}}, {.head = "classification"}) == "classification");
  CHECK(head_of({small, {{1, 64, 64}}}, {.head = "segmentation"}) == "segmentation");
  CHECK(head_of({small, {{1, 189, 85}}}, {.head = "raw"}) == "raw");
}

TEST_CASE("a head that does not fit is refused with those that do") {
  const std::string unfit = head_of({small, {{1, 84, 189}}}, {.head = "nanodet"});
  CHECK(has(unfit, "outputs (1x84x189) do not fit the head 'nanodet' (1xNx(C+32)"));
  CHECK(has(unfit, "they fit: yolov8"));
  CHECK(has(head_of({small, {{1, 84, 189}}}, {.head = "yolov9"}), "there is no head 'yolov9'"));
  CHECK(has(head_of({small, {{1, 84, 189}}}, {.head = "bogus"}), "known are auto, yolox, yolov5"));
}

TEST_CASE("the task in the metadata keeps a head from what only looks like its own") {
  const OnnxMetadata pose{{"task", "pose"}, {"names", "{0: 'person'}"}};
  CHECK(head_of({small, {{1, 56, 189}}, pose}) == "raw");
  CHECK(has(head_of({small, {{1, 56, 189}}, pose}, {.head = "yolov8"}), "its task is 'pose'"));
  CHECK(head_of({small, {{1, 84, 189}}, {{"task", "detect"}}}) == "yolov8");
  const OnnxMetadata classify{{"task", "classify"}, {"names", "{0: 'a', 1: 'b'}"}};
  const auto reading = reading_of({small, {{1, 2}}, classify});
  CHECK(reading->head == &classification_head);
  CHECK(reading->preparation.mean == std::array<float, 3>{0, 0, 0});  // as Ultralytics trains
}

TEST_CASE("models with no picture to take are raw and no worse") {
  CHECK(head_of({{96, 96, 4}, {{1, 189, 85}}}) == "raw");
}

TEST_CASE("names come from the user first, and must be as many as the classes") {
  const ScratchFolder folder;
  const std::string two = folder.with_text("two.names", "left\nright\n");
  const std::string three = folder.with_text("three.names", "a\nb\nc\n");
  const Case given{small, {{1, 189, 7}}, two_names};
  CHECK(reading_of(given, {.names = two})->names == ClassNames{"left", "right"});
  CHECK(has(reading_of(given, {.head = "yolox", .names = three}).error(),
            "three.names' has 3 names, and the model has 2 classes"));
  CHECK_FALSE(reading_of(given, {.names = folder / "none"}).ok());
  CHECK(reading_of({small, {{1, 189, 85}}})->names == coco_names());
  CHECK(reading_of({small, {{1, 189, 7}}}, {.head = "yolox"})->names.empty());
  CHECK(head_of({small, {{1, 189, 8}}}, {.names = three}) == "yolox");
  // Where no head is sure, names would be passed over: of yolox with the wrong number, of raw.
  CHECK(has(head_of({small, {{1, 189, 85}}}, {.names = three}), "--head takes"));
  CHECK(has(head_of({small, {{1, 189, 85}}}, {.names = three}), "yolox (80)"));
  CHECK(has(head_of({small, {{1, 7, 7, 7, 7}}}, {.names = three}), "leave --names out"));
}

TEST_CASE("a file of names that is not there is bad input, names that do not fit are wrong usage") {
  const ScratchFolder folder;
  const auto file = open_model(folder.with_text("m.onnx", file_with(small, {{1, 189, 85}})));
  REQUIRE(file.ok());
  Reading reading;
  CHECK(choose_reading(*file, {.names = folder / "none"}, reading).failure().kind ==
        ErrorKind::bad_input);
  const std::string one = folder.with_text("one.names", "a\n");
  CHECK(choose_reading(*file, {.head = "yolox", .names = one}, reading).failure().kind ==
        ErrorKind::usage);
  CHECK(choose_reading(*file, {}, reading).ok());
}

TEST_CASE("outputs for several pictures at once are no head's") {
  CHECK(head_of({small, {{4, 189, 85}}}) == "raw");
  CHECK(head_of({small, {{4, 84, 189}}}) == "raw");
  CHECK(head_of({small, {{4, 85, 6, 6}}}) == "raw");
}

TEST_CASE("every head takes the picture that its models were trained on") {
  const std::array<float, 3> zero{0, 0, 0}, one{1, 1, 1}, byte{255, 255, 255};
  const std::array<float, 3> mean{123.675F, 116.28F, 103.53F}, deviation{58.395F, 57.12F, 57.375F};
  const std::array<float, 3> mean_bgr{103.53F, 116.28F, 123.675F},
      deviation_bgr{57.375F, 57.12F, 58.395F};
  const OnnxMetadata semantic{{"task", "semantic"}, {"names", "{0: 'a', 1: 'b'}"}};
  const auto taken = [](const Case& given) { return reading_of(given)->preparation; };
  using P = Preparation;
  CHECK(taken({small, {{1, 189, 85}}}) == P{Fit::letterbox, ColourOrder::bgr, zero, one});
  CHECK(taken({small, {{1, 567, 85}}}) == P{Fit::centred, ColourOrder::rgb, zero, byte});
  CHECK(taken({small, {{1, 84, 189}}}) == P{Fit::centred, ColourOrder::rgb, zero, byte});
  CHECK(taken({small, {{1, 85, 6, 6}}}) == P{Fit::stretch, ColourOrder::bgr, zero, byte});
  CHECK(taken({small, {{1, 193, 112}}}) ==
        P{Fit::stretch, ColourOrder::bgr, mean_bgr, deviation_bgr});
  CHECK(taken({small, {{1, 2, 16, 16}}, two_names}) ==
        P{Fit::stretch, ColourOrder::rgb, mean, deviation});
  CHECK(taken({small, {{1, 2, 16, 16}}, semantic}) ==
        P{Fit::centred, ColourOrder::rgb, zero, byte});
  CHECK(taken({small, {{1, 1000}}}) == P{Fit::crop, ColourOrder::rgb, mean, deviation});
}

TEST_CASE("the user's picture goes before the head's") {
  const Case given{small, {{1, 189, 85}}};
  const auto plain = reading_of(given);
  CHECK(plain->preparation == Preparation{.fit = Fit::letterbox, .deviation = {1, 1, 1}});
  const auto other = reading_of(
      given, {.fit = Fit::crop, .colour = ColourOrder::rgb, .mean = {1, 2, 3}, .deviation = {4}});
  REQUIRE(other.ok());
  CHECK(other->preparation == Preparation{.fit = Fit::crop,
                                          .colour = ColourOrder::rgb,
                                          .mean = {1, 2, 3},
                                          .deviation = {4, 4, 4}});
  for (const ReadingOptions& bad :
       {ReadingOptions{.mean = {1, 2}}, ReadingOptions{.mean = {INFINITY}},
        ReadingOptions{.deviation = {0}}, ReadingOptions{.deviation = {NAN}},
        ReadingOptions{.deviation = {1, 2, 3, 4}},
        ReadingOptions{.mean = {1e38F}, .deviation = {1e-30F}}})
    CHECK_FALSE(reading_of(given, bad).ok());
}

TEST_CASE("boxes that are not finite are no detections") {
  Reading reading{.head = &yolox_head,
                  .clues = testing::clues_with(small, {{1, 189, 6}}),
                  .preparation = {},
                  .names = {}};
  std::vector<std::vector<float>> outputs{std::vector<float>(189 * 6, 0.0F)};
  for (size_t row = 0; row < 189; ++row) outputs[0][row * 6 + 4] = outputs[0][row * 6 + 5] = 1.0F;
  CHECK(std::get<Detections>(read(reading, {}, outputs, {64, 64})).size() > 100);
  for (size_t row = 0; row < 189; ++row) outputs[0][row * 6 + 2] = 1000.0F;  // its exp is infinite
  CHECK(std::get<Detections>(read(reading, {}, outputs, {64, 64})).empty());
}

TEST_CASE("boxes that the picture does not show are no detections") {
  // One cell's box over the whole input is seen; in the border below the picture it is not; and an
  // edge beyond float's range is no box.
  const Reading reading{.head = &yolov8_head,
                        .clues = testing::clues_with(small, {{1, 5, 189}}),
                        .preparation = {.fit = Fit::letterbox},
                        .names = {}};
  const auto found = [&](float x, float y, float w, float h, float score) {
    std::vector<std::vector<float>> outputs{std::vector<float>(5 * 189, 0.0F)};
    const std::array<float, 5> column{x, y, w, h, score};
    for (size_t i = 0; i < 5; ++i) outputs[0][i * 189] = column[i];
    return std::get<Detections>(read(reading, {}, outputs, {640, 320})).size();
  };
  CHECK(found(48, 24, 20, 20, 0.9F) == 1);
  CHECK(found(48, 80, 20, 20, 0.9F) == 0);
  CHECK(found(-1e38F, 24, 1e30F, 20, 0.9F) == 0);
  CHECK(found(48, 24, 20, 20, INFINITY) == 0);
}

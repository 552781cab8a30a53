// Which head a model gets by itself, which by name, and what its classes are called.
#include "apps/heads/reading.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "tests/apps/heads/stub_model.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

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
  for (const StubModel& unsure : {StubModel{small, {{1, 189, 7}}},
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
  CHECK(head_of({small, {{1, 56, 189}}, pose}) == "yolov8-pose");
  CHECK(has(head_of({small, {{1, 56, 189}}, pose}, {.head = "yolov8"}), "its task is 'pose'"));
  CHECK(head_of({small, {{1, 56, 189}}}) == "raw");
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
  const StubModel given{small, {{1, 189, 7}}, two_names};
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
  const auto file = open_model(folder.with_text("m.onnx", file_with({small, {{1, 189, 85}}})));
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
  const auto taken = [](const StubModel& given) { return reading_of(given)->preparation; };
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
  const StubModel given{small, {{1, 189, 85}}};
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

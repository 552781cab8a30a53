// Outputs of any bits: every head reads them without harm, and what it tells can be told and drawn.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "apps/findings/answer.hpp"
#include "apps/run/results.hpp"
#include "apps/vision/annotate.hpp"
#include "tests/apps/heads/head_clues.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

const Shape small{96, 96, 3};  // 189 cells, with stride 64 193

struct Case {
  const Head* head;
  Clues clues;
};

Clues with_sizes(Clues clues) {
  clues.takes_sizes = true;
  return clues;
}

std::vector<Case> every_head() {
  const auto of = [](const std::vector<Dims>& outputs) { return clues_with(small, outputs); };
  return {{&yolox_head, of({{1, 189, 8}})},
          {&yolox_decoded_head, of({{1, 189, 8}})},
          {&yolov5_head, of({{1, 567, 8}})},
          {&yolov5_head, of({{1, 3, 12, 12, 8}, {1, 3, 6, 6, 8}, {1, 3, 3, 3, 8}})},
          {&yolov8_head, of({{1, 7, 189}})},
          {&fastestdet_head, of({{1, 8, 6, 6}})},
          {&nanodet_head, of({{1, 193, 35}})},
          {&segmentation_head, of({{1, 4, 24, 24}})},
          {&segmentation_head, of({{1, 24, 24}})},
          {&classification_head, of({{1, 10}})},
          {&end_to_end_head, of({{1, 50, 6}})},
          {&end_to_end_seg_head, of({{1, 50, 10}, {1, 4, 24, 24}})},
          {&end_to_end_pose_head, of({{1, 50, 57}})},
          {&end_to_end_obb_head, of({{1, 50, 7}})},
          {&yolov8_seg_head, of({{1, 10, 189}, {1, 4, 24, 24}})},
          {&yolov8_pose_head, of({{1, 56, 189}})},
          {&yolov8_obb_head, of({{1, 7, 189}})},
          {&rtdetr_head,
           with_sizes(named(of({{1, 50}, {1, 50, 4}, {1, 50}}), {"labels", "boxes", "scores"}))},
          {&rtdetr_logits_head, named(of({{1, 50, 3}, {1, 50, 4}}), {"logits", "pred_boxes"})},
          {&rtdetr_rows_head, of({{1, 50, 7}})},
          {&ssd_head, of({{1, 50, 4}, {1, 50}, {1, 50}})},
          {&ssd_head,
           named(of({{50, 4}, {50}, {50}, {1}}), {"boxes", "labels", "scores", "num_detections"})},
          {&depth_head, of({{1, 24, 24}})},
          {&picture_head, of({{1, 3, 192, 192}})},
          {&dbnet_head, of({{1, 1, 96, 96}})},
          {&ctc_head, of({{1, 20, 37}})},
          {&ctc_last_head, of({{20, 1, 37}})},
          {&features_head, of({{1, 20}})},
          {&raw_head, of({{1, 20}})}};
}

std::vector<std::vector<float>> hostile(const Clues& clues, uint64_t seed) {
  constexpr std::array<float, 12> values{NAN,  INFINITY, -INFINITY, 3.4e38F, -3.4e38F, 1e-40F,
                                         0.0F, 1.0F,     0.9F,      50.0F,   -50.0F,   1e9F};
  networks::Random random(seed);
  std::vector<std::vector<float>> outputs;
  for (const ModelOutput& output : clues.outputs) {
    int64_t count = 1;
    for (const int64_t dim : output.dims) count *= dim;
    std::vector<float>& of = outputs.emplace_back();
    // Whole outputs of one value too
    const bool alike = random.between(0, 3) == 0;
    const auto same = static_cast<size_t>(random.between(0, 11));
    for (int64_t i = 0; i < count; ++i)
      of.push_back(values[alike ? same : static_cast<size_t>(random.between(0, 11))]);
  }
  return outputs;
}

bool all_finite(std::initializer_list<float> numbers) {
  return std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); });
}

struct IsSound {
  bool operator()(const Detections& found) const {
    return std::ranges::all_of(found, [&](const Detection& of) { return is_sound(of); });
  }
  bool operator()(const Instances& found) const {
    return std::ranges::all_of(found, [&](const Instance& of) {
      uint64_t pixels = 0;
      for (const uint32_t run : of.mask.runs) pixels += run;
      return is_sound(of.detection) &&
             pixels == static_cast<uint64_t>(of.mask.w) * static_cast<uint64_t>(of.mask.h);
    });
  }
  bool operator()(const BodyPoses& found) const {
    return std::ranges::all_of(found, [&](const BodyPose& of) {
      return is_sound(of.detection) && std::ranges::all_of(of.points, [](const KeyPoint& point) {
               return all_finite({point.x, point.y, point.score});
             });
    });
  }
  bool operator()(const TurnedBoxes& found) const {
    return std::ranges::all_of(found, [](const TurnedBox& of) {
      return all_finite({of.x, of.y, of.w, of.h, of.angle, of.score}) && of.w > 0 && of.h > 0;
    });
  }
  bool operator()(const ReadText& read) const { return all_finite({read.score}); }
  template <class Other>
  bool operator()(const Other&) const {
    return true;
  }

  static bool is_sound(const Detection& of) {
    return all_finite({of.box.x, of.box.y, of.box.w, of.box.h, of.score}) && of.box.x >= 0 &&
           of.box.y >= 0 && of.box.x + of.box.w <= 71 && of.box.y + of.box.h <= 53;
  }
};

}  // namespace

TEST_CASE("every head reads any numbers, and tells nothing that is no number") {
  for (const auto& [head, clues] : every_head()) {
    CAPTURE(head->name);
    REQUIRE(head->claim(clues).has_value());
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(seed);
      const auto outputs = hostile(clues, seed);
      const Reading reading = reading_with(*head, clues);
      const Finding found = read(reading, {.min_score = 0.25F}, outputs, {70, 52});
      CHECK(std::visit(IsSound{}, found));
      const FrameResult result{.frame = 1, .name = "a.jpg", .milliseconds = 2, .finding = found};
      CHECK(nlohmann::json::accept(json_line(result, {})));
      CHECK(!text_line(result, {}).empty());
      cv::Mat picture(52, 70, CV_8UC3, cv::Scalar::all(50));
      annotate(picture, found, {});
      CHECK(!picture.empty());
      (void)same_answer(found, found);
    }
  }
}

TEST_CASE("every head of the list is tried with any numbers") {
  for (const Head* head : all_heads()) {
    if (head == &yolov2_head || head == &yolov3_head) continue;  // darknet_heads_test.cpp
    CAPTURE(head->name);
    CHECK(std::ranges::any_of(every_head(), [&](const Case& of) { return of.head == head; }));
  }
}

// RT-DETR, D-FINE and SSD: outputs that are known by their names, and rows of queries.
#include <doctest/doctest.h>

#include "tests/apps/heads/head_clues.hpp"
#include "tests/apps/slow_boxes.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

const Shape input{64, 96, 3};
constexpr int rows = 20;
constexpr uint64_t rounds = 15;

Clues with_sizes(Clues clues) {
  clues.takes_sizes = true;
  return clues;
}

std::vector<float> labels_of(uint64_t seed) {
  std::vector<float> labels = uniform(rows, 0, 5, seed);
  for (float& label : labels) label = std::floor(label);
  return labels;
}

struct Lists {
  const std::vector<float>&boxes, &labels, &scores;
};
std::vector<Slow> slow_lists(const Lists& lists, double width, double height, float least) {
  std::vector<Slow> expected;
  for (size_t i = 0; i < rows; ++i) {
    if (lists.scores[i] < least) continue;
    const float* at = lists.boxes.data() + 4 * i;
    expected.push_back({static_cast<int>(lists.labels[i]), double{lists.scores[i]},
                        double{at[0]} * width, double{at[1]} * height, double{at[2]} * width,
                        double{at[3]} * height});
  }
  REQUIRE(!expected.empty());
  return expected;
}

}  // namespace

TEST_CASE("RT-DETR's labels, boxes and scores are found by name, in any order") {
  const Clues clues = with_sizes(named(clues_with(input, {{1, rows}, {1, rows}, {1, rows, 4}}),
                                       {"scores", "labels", "boxes"}));
  CHECK(rtdetr_head.claim(clues)->certainty == Certainty::stated);
  CHECK_FALSE(ssd_head.claim(clues));
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::vector<float>> values{uniform(rows, 0, 1, seed), labels_of(seed + 50),
                                                 uniform(rows * 4, 0, 300, seed + 99)};
    compare(boxes(rtdetr_head, clues, values, 0.6F),
            slow_lists({values[2], values[1], values[0]}, 1, 1, 0.6F));
  }
  CHECK_FALSE(rtdetr_head.claim(named(clues_with(input, {{1, rows}, {1, rows}, {1, rows, 4}}),
                                      {"scores", "labels", "boxes"})));
}

TEST_CASE("RT-DETR's boxes are in the picture's pixels already, whatever its shape") {
  const Clues clues = with_sizes(
      named(clues_with(input, {{1, 2}, {1, 2, 4}, {1, 2}}), {"labels", "boxes", "scores"}));
  const std::vector<std::vector<float>> values{
      {3, 4}, {100, 150, 180, 200, -5, 390, 20, 500}, {0.5F, 0.9F}};
  const auto found =
      std::get<Detections>(read(reading_with(rtdetr_head, clues), {}, values, {200, 400}));
  REQUIRE(found.size() == 2);
  CHECK(found[0] == Detection{4, 0.9F, {0, 390, 20, 10}});
  CHECK(found[1] == Detection{3, 0.5F, {100, 150, 80, 50}});
}

TEST_CASE("RT-DETR's logits decode as its formulas say") {
  const int classes = 7;
  const Clues clues =
      named(clues_with(input, {{1, rows, classes}, {1, rows, 4}}), {"logits", "pred_boxes"});
  CHECK(rtdetr_logits_head.claim(clues)->classes == classes);
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::vector<float>> values{uniform(rows * classes, -4, 4, seed),
                                                 uniform(rows * 4, 0, 1, seed + 99)};
    std::vector<Slow> expected;
    for (int row = 0; row < rows; ++row) {
      const float* at = values[1].data() + 4 * row;
      Slow slow = centred(double{at[0]} * input.w, double{at[1]} * input.h, double{at[2]} * input.w,
                          double{at[3]} * input.h);
      choose(slow, classes, [&](int c) {
        return logistic(double{values[0][static_cast<size_t>(row * classes + c)]});
      });
      if (slow.score >= 0.9) expected.push_back(slow);
    }
    REQUIRE(!expected.empty());
    compare(boxes(rtdetr_logits_head, clues, values, 0.9F), expected);
  }
  CHECK_FALSE(rtdetr_logits_head.claim(clues_with(input, {{1, rows, classes}, {1, rows, 4}})));
}

TEST_CASE("Ultralytics' RT-DETR rows decode as its formulas say") {
  const int classes = 6;
  const Clues clues = clues_with(input, {{1, rows, 4 + classes}});
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::vector<float>> values{uniform(rows * (4 + classes), 0, 1, seed)};
    std::vector<Slow> expected;
    for (int row = 0; row < rows; ++row) {
      const float* at = values[0].data() + row * (4 + classes);
      Slow slow =
          centred(double{at[0]} * 96, double{at[1]} * 64, double{at[2]} * 96, double{at[3]} * 64);
      choose(slow, classes, [&](int c) { return double{at[4 + c]}; });
      if (slow.score >= 0.8) expected.push_back(slow);
    }
    REQUIRE(!expected.empty());
    compare(boxes(rtdetr_rows_head, clues, values, 0.8F), expected);
  }
}

TEST_CASE("SSD's boxes are shares of the input, or pixels where they are larger than shares are") {
  const Clues clues = named(clues_with(input, {{1, rows, 4}, {1, rows}, {1, rows}}),
                            {"bboxes", "labels", "scores"});
  CHECK(ssd_head.claim(clues)->certainty == Certainty::stated);
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    std::vector<std::vector<float>> values{uniform(rows * 4, 0, 1, seed), labels_of(seed + 50),
                                           uniform(rows, 0, 1, seed + 99)};
    compare(boxes(ssd_head, clues, values, 0.5F),
            slow_lists({values[0], values[1], values[2]}, 96, 64, 0.5F));
    for (float& corner : values[0]) corner *= 50;
    compare(boxes(ssd_head, clues, values, 0.5F),
            slow_lists({values[0], values[1], values[2]}, 1, 1, 0.5F));
  }
}

TEST_CASE("TensorFlow's boxes have y first, and only so many count as the graph says") {
  const Clues clues =
      named(clues_with(input, {{1, 3, 4}, {1, 3}, {1, 3}, {1}}),
            {"detection_boxes:0", "detection_classes:0", "detection_scores:0", "num_detections:0"});
  const std::vector<float> list{0.25F, 0.5F, 0.75F, 1.0F, 0, 0, 1, 1, 0, 0, 1, 1};
  std::vector<std::vector<float>> values{list, {1, 2, 3}, {0.9F, 0.8F, 0.7F}, {2}};
  const Detections found = boxes(ssd_head, clues, values, 0.3F);
  REQUIRE(found.size() == 2);
  CHECK(found[0] == Detection{1, 0.9F, {48, 16, 48, 32}});
  for (const auto& [count, kept] : {std::pair{0.0F, 0}, {7.0F, 3}, {-1.0F, 0}, {NAN, 0}}) {
    values[3][0] = count;
    CHECK(boxes(ssd_head, clues, values, 0.3F).size() == static_cast<size_t>(kept));
  }
}

TEST_CASE("lists without names or without a first dimension may be SSD's, but only by name") {
  const Clues clues = clues_with(input, {{rows, 4}, {rows}, {rows}});
  CHECK(ssd_head.claim(clues)->certainty == Certainty::shared);
  CHECK(ssd_head.claim(named(clues, {"boxes", "labels", "scores"}))->certainty ==
        Certainty::stated);
  CHECK_FALSE(ssd_head.claim(clues_with(input, {{rows, 4}, {rows}, {rows + 1}})));
  CHECK_FALSE(ssd_head.claim(clues_with(input, {{rows, 5}, {rows}, {rows}})));
  CHECK_FALSE(ssd_head.claim(clues_with(input, {{2, rows, 4}, {rows}, {rows}})));
}

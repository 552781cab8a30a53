// YOLOv8's masks, poses and turned boxes against slow decodes written from their formulas.
#include <doctest/doctest.h>

#include "tests/apps/heads/head_clues.hpp"
#include "tests/apps/slow_boxes.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

const Shape input{64, 96, 3};
constexpr int cells = 12 * 8 + 6 * 4 + 3 * 2;
constexpr uint64_t rounds = 15;

struct Column {
  const std::vector<float>& values;
  int cell;
  float operator()(int row) const { return values[static_cast<size_t>(row * cells + cell)]; }
};

struct SlowCell {
  Slow box;
  int cell;
};
std::vector<SlowCell> slow_cells(const std::vector<float>& values, int classes, float least) {
  std::vector<SlowCell> found;
  for (int cell = 0; cell < cells; ++cell) {
    const Column at{values, cell};
    Slow slow = centred(double{at(0)}, double{at(1)}, double{at(2)}, double{at(3)});
    choose(slow, classes, [&](int c) { return double{at(4 + c)}; });
    if (slow.score >= double{least}) found.push_back({slow, cell});
  }
  REQUIRE(!found.empty());
  return found;
}

std::vector<Slow> boxes_of(const std::vector<SlowCell>& found) {
  std::vector<Slow> boxes;
  for (const SlowCell& each : found) boxes.push_back(each.box);
  return boxes;
}

// Is the picture's pixel part of the object? By the sum of tents around the middles of cells.
bool slow_mask(const std::vector<float>& prototypes, const std::vector<float>& weights, int h,
               int w, double at_y, double at_x) {
  double logit = 0;
  at_y = std::clamp(at_y * h / input.h, 0.5, h - 0.5);
  at_x = std::clamp(at_x * w / input.w, 0.5, w - 0.5);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      const double tent =
          std::max(0.0, 1 - std::abs(at_y - y - 0.5)) * std::max(0.0, 1 - std::abs(at_x - x - 0.5));
      if (tent == 0) continue;
      for (size_t m = 0; m < weights.size(); ++m)
        logit += tent * double{weights[m]} *
                 double{prototypes[(m * static_cast<size_t>(h) + static_cast<size_t>(y)) *
                                       static_cast<size_t>(w) +
                                   static_cast<size_t>(x)]};
    }
  return logit > 0;
}

std::vector<std::vector<bool>> pixels_of(const Mask& mask) {
  std::vector<std::vector<bool>> pixels(static_cast<size_t>(mask.h),
                                        std::vector<bool>(static_cast<size_t>(mask.w)));
  int64_t at = 0;
  bool inside = false;
  for (const uint32_t run : mask.runs) {
    for (uint32_t i = 0; i < run; ++i, ++at)
      pixels[static_cast<size_t>(at / mask.w)][static_cast<size_t>(at % mask.w)] = inside;
    inside = !inside;
  }
  REQUIRE(at == int64_t{mask.w} * mask.h);
  return pixels;
}

}  // namespace

TEST_CASE("YOLOv8-seg's columns are boxes, scores and weights of prototypes") {
  const int classes = 3, count = 5;
  const Clues clues = clues_with(input, {{1, 4 + classes + count, cells}, {1, count, 16, 24}});
  REQUIRE(yolov8_seg_head.claim(clues)->classes == classes);
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::vector<float>> values{uniform(cells * (4 + classes + count), 0, 1, seed),
                                                 uniform(count * 16 * 24, -1, 1, seed)};
    const auto expected = slow_cells(values[0], classes, 0.8F);
    const MaskedDetections masked =
        std::get<DecodeMasks>(yolov8_seg_head.decode)(clues, values, 0.8F);
    Detections found;
    REQUIRE(masked.found.size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      found.push_back(masked.found[i].detection);
      for (int m = 0; m < count; ++m)
        CHECK(masked.found[i].weights[static_cast<size_t>(m)] ==
              Column{values[0], expected[i].cell}(4 + classes + m));
    }
    compare(found, boxes_of(expected));
  }
}

TEST_CASE("a mask's pixels are those where the prototypes' sum is positive, in every fit") {
  const int count = 4, h = 16, w = 24;
  const PixelSize picture{70, 51};
  for (const Fit fit : {Fit::centred, Fit::letterbox, Fit::stretch, Fit::crop})
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      CAPTURE(seed);
      const std::vector<float> prototypes = uniform(count * h * w, -1, 1, seed);
      const std::vector<float> weights = uniform(count, -1, 1, seed + 99);
      const Placement placement = place(fit, picture, input);
      const Box box{5.3F, 7.9F, 41.2F, 30.6F};
      const Mask mask = mask_in_picture({prototypes, count, h, w}, weights, box, input, placement);
      CHECK(mask.x == 5);
      CHECK(mask.y == 7);
      CHECK(mask.w == 42);
      CHECK(mask.h == 32);
      const auto pixels = pixels_of(mask);
      int different = 0;  // of those whose sum is zero but for rounding
      for (int y = 0; y < mask.h; ++y)
        for (int x = 0; x < mask.w; ++x) {
          const double at_y = (mask.y + y + 0.5) * placement.scale_y + placement.top;
          const double at_x = (mask.x + x + 0.5) * placement.scale_x + placement.left;
          if (pixels[static_cast<size_t>(y)][static_cast<size_t>(x)] !=
              slow_mask(prototypes, weights, h, w, at_y, at_x))
            ++different;
        }
      CHECK(different <= 1);
      int seen = 0;
      for_each_stretch(mask, [&](int y, int begin, int end) {
        for (int x = begin; x < end; ++x, ++seen)
          CHECK(pixels[static_cast<size_t>(y - mask.y)][static_cast<size_t>(x - mask.x)]);
      });
      CHECK(seen > 0);
    }
}

TEST_CASE("masks belong to boxes that are kept, and lie within them") {
  const Clues clues = clues_with(input, {{1, 7, cells}, {1, 2, 16, 24}});
  const Reading reading = reading_with(yolov8_seg_head, clues);
  std::vector<std::vector<float>> values{std::vector<float>(7 * cells, 0.0F),
                                         std::vector<float>(2 * 16 * 24, 1.0F)};
  // Two boxes that overlap, the second one better; the first prototype counts for it.
  for (int cell = 0; cell < 2; ++cell) {
    const std::vector<float> column{
        48, 32, 20, 10, 0.5F + 0.2F * static_cast<float>(cell), cell == 0 ? -1.0F : 1.0F, 0};
    for (int row = 0; row < 7; ++row)
      values[0][static_cast<size_t>(row * cells + cell)] = column[static_cast<size_t>(row)];
  }
  const auto found = std::get<Instances>(read(reading, {}, values, {96, 64}));
  REQUIRE(found.size() == 1);
  CHECK(found[0].detection == Detection{0, 0.7F, {38, 27, 20, 10}});
  CHECK(found[0].mask == Mask{38, 27, 20, 10, {0, 200}});
}

TEST_CASE("YOLOv8-pose's columns are boxes, scores and key points") {
  for (const auto& [shape, points, numbers] :
       {std::tuple{"", 17, 3}, {"[5, 2]", 5, 2}, {"[3, 3]", 3, 3}, {"[17, 4]", 17, 3}}) {
    const int classes = 1, columns = 4 + classes + points * numbers;
    const Clues clues =
        clues_with(input, {{1, columns, cells}}, {{"task", "pose"}, {"kpt_shape", shape}});
    REQUIRE(yolov8_pose_head.claim(clues)->classes == classes);
    const std::vector<std::vector<float>> values{uniform(cells * columns, 0, 1, 4)};
    const auto expected = slow_cells(values[0], classes, 0.8F);
    const BodyPoses found = std::get<DecodePoses>(yolov8_pose_head.decode)(clues, values, 0.8F);
    Detections found_boxes;
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      const Column at{values[0], expected[i].cell};
      found_boxes.push_back(found[i].detection);
      REQUIRE(found[i].points.size() == static_cast<size_t>(points));
      for (int k = 0; k < points; ++k) {
        const int row = 5 + k * numbers;
        CHECK(found[i].points[static_cast<size_t>(k)] ==
              KeyPoint{at(row), at(row + 1), numbers == 3 ? at(row + 2) : 1.0F});
      }
    }
    compare(found_boxes, boxes_of(expected));
  }
}

TEST_CASE("a pose's points are brought back to the picture, and those of no place have none") {
  const Clues clues = clues_with(input, {{1, 56, cells}});
  const Reading reading = reading_with(yolov8_pose_head, clues);
  std::vector<std::vector<float>> values{std::vector<float>(56 * cells, 0.0F)};
  const auto set = [&](int row, float value) {
    values[0][static_cast<size_t>(row * cells)] = value;
  };
  set(0, 48), set(1, 32), set(2, 20), set(3, 20), set(4, 0.9F);
  set(5, 40), set(6, 30), set(7, 0.75F);
  set(8, NAN), set(9, 30), set(10, 0.75F);
  set(11, 40), set(12, INFINITY), set(13, 0.75F);
  // A picture twice as large, as wide as it is high: in the middle of the input, 16 to its left.
  const auto found = std::get<BodyPoses>(read(reading, {}, values, {128, 128}));
  REQUIRE(found.size() == 1);
  CHECK(found[0].detection.box == Box{44, 44, 40, 40});
  CHECK(found[0].points[0] == KeyPoint{48, 60, 0.75F});
  CHECK(found[0].points[1] == KeyPoint{});
  CHECK(found[0].points[2] == KeyPoint{});
}

TEST_CASE("YOLOv8-obb's columns are turned boxes with the angle last") {
  const int classes = 2;
  const Clues clues = clues_with(input, {{1, 4 + classes + 1, cells}}, {{"task", "obb"}});
  REQUIRE(yolov8_obb_head.claim(clues)->classes == classes);
  const std::vector<std::vector<float>> values{uniform(cells * (5 + classes), 0, 1, 8)};
  const auto expected = slow_cells(values[0], classes, 0.8F);
  const TurnedBoxes found = std::get<DecodeTurned>(yolov8_obb_head.decode)(clues, values, 0.8F);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const Column at{values[0], expected[i].cell};
    CHECK(found[i] == TurnedBox{expected[i].box.class_id, static_cast<float>(expected[i].box.score),
                                at(0), at(1), at(2), at(3), at(4 + classes)});
  }
}

TEST_CASE("of turned boxes that say the same the better one stays") {
  const Clues clues = clues_with(input, {{1, 6, cells}});
  const Reading reading = reading_with(yolov8_obb_head, clues);
  std::vector<std::vector<float>> values{std::vector<float>(6 * cells, 0.0F)};
  const auto column = [&](int cell, std::vector<float> numbers) {
    for (size_t row = 0; row < 6; ++row)
      values[0][row * cells + static_cast<size_t>(cell)] = numbers[row];
  };
  column(0, {40, 30, 30, 6, 0.6F, 0.5F});
  column(1, {41, 30, 30, 6, 0.8F, 0.5F});
  column(2, {40, 30, 30, 6, 0.7F, 2.0F});  // across: another object, although the boxes around
  const auto found = std::get<TurnedBoxes>(read(reading, {}, values, {96, 64}));
  REQUIRE(found.size() == 2);
  CHECK(found[0].score == 0.8F);
  CHECK(found[1].score == 0.7F);
}

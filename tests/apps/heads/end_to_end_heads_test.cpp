// Lists of objects that graphs end in, against the numbers that were written into them.
#include <doctest/doctest.h>

#include "tests/apps/heads/head_clues.hpp"
#include "tests/apps/slow_boxes.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

const Shape input{64, 96, 3};
constexpr uint64_t rounds = 15;
constexpr int rows = 20;

// Rows of random numbers, with a class of 0 to 4 in column 5.
std::vector<float> rows_of(int columns, uint64_t seed) {
  std::vector<float> values = uniform(rows * columns, 0, 1, seed);
  for (size_t row = 0; row < rows; ++row) {
    float& class_id = values[row * static_cast<size_t>(columns) + 5];
    class_id = static_cast<float>(static_cast<int>(class_id * 5));
  }
  return values;
}

// By going through the list from its end.
std::vector<const float*> slow_rows(const std::vector<float>& values, int columns, float least) {
  std::vector<const float*> found;
  for (int row = rows - 1; row >= 0; --row)
    if (values[static_cast<size_t>(row * columns + 4)] >= least)
      found.insert(found.begin(), values.data() + row * columns);
  REQUIRE(!found.empty());
  return found;
}

Slow slow_of(const float* row) {
  return {static_cast<int>(row[5]), double{row[4]}, double{row[0]},
          double{row[1]},           double{row[2]}, double{row[3]}};
}

}  // namespace

TEST_CASE("an end-to-end list is read row by row") {
  const Clues clues = clues_with(input, {{1, rows, 6}});
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::vector<float>> values{rows_of(6, seed)};
    std::vector<Slow> expected;
    for (const float* row : slow_rows(values[0], 6, 0.5F)) expected.push_back(slow_of(row));
    compare(boxes(end_to_end_head, clues, values, 0.5F), expected);
  }
}

TEST_CASE("nothing of an end-to-end list is suppressed, and the best comes first") {
  const Reading reading = reading_with(end_to_end_head, clues_with(input, {{1, 3, 6}}));
  const std::vector<std::vector<float>> values{
      {1, 2, 30, 40, 0.5F, 1, 1, 2, 30, 40, 0.9F, 1, 1, 2, 30, 40, 0.7F, 1}};
  const auto found = std::get<Detections>(read(reading, {}, values, {96, 64}));
  REQUIRE(found.size() == 3);
  CHECK(found[0] == Detection{1, 0.9F, {1, 2, 29, 38}});
  CHECK(found[2].score == 0.5F);
}

TEST_CASE("a row whose class is no class is no detection") {
  const Clues clues = clues_with(input, {{1, 4, 6}});
  const std::vector<std::vector<float>> values{{0, 0, 9, 9, 0.9F, -1,     //
                                                0, 0, 9, 9, 0.9F, NAN,    //
                                                0, 0, 9, 9, 0.9F, 1e30F,  //
                                                0, 0, 9, 9, NAN,  1}};
  CHECK(boxes(end_to_end_head, clues, values, 0.3F).empty());
}

TEST_CASE("an end-to-end list of masks keeps each object's weights") {
  const int count = 8, columns = 6 + count;
  const Clues clues = clues_with(input, {{1, rows, columns}, {1, count, 16, 24}});
  REQUIRE(end_to_end_seg_head.claim(clues).has_value());
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::vector<float>> values{rows_of(columns, seed),
                                                 uniform(count * 16 * 24, -1, 1, seed)};
    const MaskedDetections masked =
        std::get<DecodeMasks>(end_to_end_seg_head.decode)(clues, values, 0.5F);
    const auto expected = slow_rows(values[0], columns, 0.5F);
    Detections found;
    std::vector<Slow> slow;
    REQUIRE(masked.found.size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      found.push_back(masked.found[i].detection);
      slow.push_back(slow_of(expected[i]));
      CHECK(masked.found[i].weights == std::vector<float>(expected[i] + 6, expected[i] + columns));
    }
    compare(found, slow);
    CHECK(masked.prototypes.count == count);
    CHECK(masked.prototypes.h == 16);
    CHECK(masked.prototypes.w == 24);
  }
}

TEST_CASE("an end-to-end list of poses keeps each object's key points") {
  const int columns = 57;
  const Clues clues = clues_with(input, {{1, rows, columns}});
  REQUIRE(end_to_end_pose_head.claim(clues).has_value());
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::vector<float>> values{rows_of(columns, seed)};
    const BodyPoses found = std::get<DecodePoses>(end_to_end_pose_head.decode)(clues, values, 0.5F);
    const auto expected = slow_rows(values[0], columns, 0.5F);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i].points.size() == 17);
      for (size_t k = 0; k < 17; ++k) {
        const float* at = expected[i] + 6 + 3 * k;
        CHECK(found[i].points[k] == KeyPoint{at[0], at[1], at[2]});
      }
    }
  }
}

TEST_CASE("an end-to-end list of turned boxes has the angle last") {
  const Clues clues = clues_with(input, {{1, rows, 7}});
  REQUIRE(end_to_end_obb_head.claim(clues).has_value());
  const std::vector<std::vector<float>> values{rows_of(7, 3)};
  const TurnedBoxes found = std::get<DecodeTurned>(end_to_end_obb_head.decode)(clues, values, 0.5F);
  const auto expected = slow_rows(values[0], 7, 0.5F);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const float* at = expected[i];
    CHECK(found[i] == TurnedBox{static_cast<int>(at[5]), at[4], at[0], at[1], at[2], at[3], at[6]});
  }
}

TEST_CASE("what else has six columns is no end-to-end list") {
  // A row for each cell: YOLOX's or YOLOv5's of one class.
  CHECK_FALSE(end_to_end_head.claim(clues_with({96, 96, 3}, {{1, 189, 6}})));
  CHECK_FALSE(end_to_end_head.claim(clues_with({96, 96, 3}, {{1, 567, 6}})));
  CHECK_FALSE(end_to_end_head.claim(
      clues_with(input, {{1, 300, 6}}, {{"description", "Ultralytics rtdetr-l model"}})));
  CHECK_FALSE(end_to_end_seg_head.claim(clues_with(input, {{1, 300, 38}, {1, 31, 16, 24}})));
}

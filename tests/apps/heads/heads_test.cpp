// Heads against slow decodes that are written from the formulas alone.
#include <doctest/doctest.h>

#include "tests/apps/heads/head_clues.hpp"
#include "tests/apps/slow_boxes.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

// Which cell a row stands for when grids follow each other, finest first.
struct SlowCell {
  int x = 0, y = 0, stride = 8;
};
SlowCell cell_of(size_t row, Shape input, int levels) {
  for (int level = 0; level < levels; ++level) {
    const int stride = 8 << level;
    const auto w = static_cast<size_t>((input.w + stride - 1) / stride);
    const auto h = static_cast<size_t>((input.h + stride - 1) / stride);
    if (row < w * h) return {static_cast<int>(row % w), static_cast<int>(row / w), stride};
    row -= w * h;
  }
  FAIL("there is no such row");
  return {};
}

constexpr uint64_t rounds = 15;

// A head whose output has a row of 5 + classes numbers for each cell.
struct RowHead {
  const Head& head;
  Shape input;
  int rows, classes;
  float min_score;
};

// Compares the head's boxes of random rows with those that decode(row, its numbers) returns.
template <class Decode>
void compare_rows(const RowHead& of, Decode decode) {
  const int numbers = 5 + of.classes;
  const Clues clues = clues_with(of.input, {{1, of.rows, numbers}});
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::vector<float>> values{uniform(of.rows * numbers, 0, 1, seed)};
    std::vector<Slow> expected;
    for (int row = 0; row < of.rows; ++row) {
      const Slow slow = decode(row, values[0].data() + row * numbers);
      if (slow.score >= double{of.min_score}) expected.push_back(slow);
    }
    REQUIRE(!expected.empty());
    compare(boxes(of.head, clues, values, of.min_score), expected);
  }
}

}  // namespace

TEST_CASE("YOLOX's rows decode as its formulas say") {
  const Shape input{64, 96, 3};
  const int classes = 7, rows = 12 * 8 + 6 * 4 + 3 * 2;
  compare_rows({yolox_head, input, rows, classes, 0.25F}, [&](int row, const float* at) {
    const SlowCell cell = cell_of(static_cast<size_t>(row), input, 3);
    Slow slow =
        centred((cell.x + double{at[0]}) * cell.stride, (cell.y + double{at[1]}) * cell.stride,
                std::exp(double{at[2]}) * cell.stride, std::exp(double{at[3]}) * cell.stride);
    choose(slow, classes, [&](int c) { return double{at[4]} * double{at[5 + c]}; });
    return slow;
  });
}

TEST_CASE("YOLOX-nano at 416 has 3549 rows, and no other number") {
  CHECK(yolox_head.claim(clues_with({416, 416, 3}, {{1, 3549, 85}}))->classes == 80);
  CHECK_FALSE(yolox_head.claim(clues_with({416, 416, 3}, {{1, 3548, 85}})));
  CHECK_FALSE(yolox_head.claim(clues_with({416, 416, 3}, {{1, 3549, 5}})));
}

TEST_CASE("FastestDet's cells decode as its formulas say") {
  const int rows = 6, columns = 4, classes = 4;
  const Shape input{96, 64, 3};
  const Clues clues = clues_with(input, {{1, 5 + classes, rows, columns}});
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::vector<float>> values{
        uniform(rows * columns * (5 + classes), 0, 1, seed)};
    const auto at = [&](int channel, int y, int x) {
      return double{values[0][static_cast<size_t>((channel * rows + y) * columns + x)]};
    };
    std::vector<Slow> expected;
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        Slow slow = centred((x + std::tanh(at(1, y, x))) * 16, (y + std::tanh(at(2, y, x))) * 16,
                            logistic(at(3, y, x)) * input.w, logistic(at(4, y, x)) * input.h);
        choose(slow, classes, [&](int c) { return at(5 + c, y, x); });
        slow.score = std::exp(0.6 * std::log(at(0, y, x)) + 0.4 * std::log(slow.score));
        if (slow.score >= 0.5) expected.push_back(slow);
      }
    REQUIRE(!expected.empty());
    compare(boxes(fastestdet_head, clues, values, 0.5F), expected);
  }
}

TEST_CASE("a negative objectness is no detection and no crash") {
  const std::vector<std::vector<float>> values{std::vector<float>(2 * 2 * 6, -1.0F)};
  CHECK(boxes(fastestdet_head, clues_with({32, 32, 3}, {{1, 6, 2, 2}}), values, 0.0F).empty());
}

TEST_CASE("YOLOv8's columns decode as its formulas say") {
  const Shape input{64, 96, 3};
  const int classes = 3, columns = 12 * 8 + 6 * 4 + 3 * 2;
  const Clues clues = clues_with(input, {{1, 4 + classes, columns}});
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::vector<float>> values{uniform(columns * (4 + classes), 0, 1, seed)};
    std::vector<Slow> expected;
    for (int i = 0; i < columns; ++i) {
      const auto at = [&](int row) {
        return double{values[0][static_cast<size_t>(row * columns + i)]};
      };
      Slow slow = centred(at(0), at(1), at(2), at(3));
      choose(slow, classes, [&](int c) { return at(4 + c); });
      if (slow.score >= 0.8) expected.push_back(slow);
    }
    REQUIRE(!expected.empty());
    compare(boxes(yolov8_head, clues, values, 0.8F), expected);
  }
}

TEST_CASE("YOLOv5's rows decode as its formulas say") {
  const Shape input{64, 32, 3};
  const int classes = 5, rows = 3 * (8 * 4 + 4 * 2 + 2 * 1);
  compare_rows({yolov5_head, input, rows, classes, 0.4F}, [&](int, const float* at) {
    Slow slow = centred(double{at[0]}, double{at[1]}, double{at[2]}, double{at[3]});
    choose(slow, classes, [&](int c) { return double{at[5 + c]} * double{at[4]}; });
    return slow;
  });
}

TEST_CASE("YOLOv5's three maps decode as its formulas say, in both of their layouts") {
  const Shape input{64, 96, 3};
  const int classes = 4, record = 5 + classes;
  const double anchors[3][3][2] = {{{10, 13}, {16, 30}, {33, 23}},
                                   {{30, 61}, {62, 45}, {59, 119}},
                                   {{116, 90}, {156, 198}, {373, 326}}};
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    // Given the same numbers as 1x3xHxWx(5+C) and as 1x(3*(5+C))xHxW
    std::vector<testing::Dims> last_dims, first_dims;
    std::vector<std::vector<float>> last, first;
    std::vector<Slow> expected;
    for (int level = 0; level < 3; ++level) {
      const int stride = 8 << level, h = input.h / stride, w = input.w / stride;
      last_dims.push_back({1, 3, h, w, record});
      first_dims.push_back({1, 3 * record, h, w});
      last.push_back(uniform(3 * h * w * record, -3, 3, seed * 10 + static_cast<uint64_t>(level)));
      first.emplace_back(last.back().size());
      for (int i = 0; i < 3 * h * w; ++i) {
        const int a = i / (h * w), y = i / w % h, x = i % w;
        const float* at = last.back().data() + i * record;
        for (int k = 0; k < record; ++k)
          first.back()[static_cast<size_t>(((a * record + k) * h + y) * w + x)] = at[k];
        const double sides[2] = {2 * logistic(double{at[2]}), 2 * logistic(double{at[3]})};
        Slow slow = centred((logistic(double{at[0]}) * 2 - 0.5 + x) * stride,
                            (logistic(double{at[1]}) * 2 - 0.5 + y) * stride,
                            sides[0] * sides[0] * anchors[level][a][0],
                            sides[1] * sides[1] * anchors[level][a][1]);
        choose(slow, classes,
               [&](int c) { return logistic(double{at[4]}) * logistic(double{at[5 + c]}); });
        if (slow.score >= 0.6) expected.push_back(slow);
      }
    }
    REQUIRE(!expected.empty());
    compare(boxes(yolov5_head, clues_with(input, last_dims), last, 0.6F), expected);
    compare(boxes(yolov5_head, clues_with(input, first_dims), first, 0.6F), expected);
  }
}

TEST_CASE("NanoDet-Plus' rows decode as its formulas say, at sizes that no stride divides too") {
  for (const Shape input : {Shape{128, 192, 3}, Shape{104, 72, 3}}) {
    const int classes = 6;
    int rows = 0;
    for (const int stride : {8, 16, 32, 64})
      rows += ((input.h + stride - 1) / stride) * ((input.w + stride - 1) / stride);
    const Clues clues = clues_with(input, {{1, rows, classes + 32}});
    for (uint64_t seed = 1; seed <= rounds; ++seed) {
      CAPTURE(seed);
      const std::vector<std::vector<float>> values{uniform(rows * (classes + 32), -2, 2, seed)};
      std::vector<Slow> expected;
      for (int row = 0; row < rows; ++row) {
        const float* at = values[0].data() + row * (classes + 32);
        const SlowCell cell = cell_of(static_cast<size_t>(row), input, 4);
        double sides[4];
        for (int side = 0; side < 4; ++side) {
          double all = 0, sum = 0;
          for (int bin = 7; bin >= 0; --bin) {
            const double e = std::exp(double{at[classes + side * 8 + bin]});
            all += e, sum += bin * e;
          }
          sides[side] = sum / all * cell.stride;
        }
        const double x = cell.x * cell.stride, y = cell.y * cell.stride;
        Slow slow{-1, 0, x - sides[0], y - sides[1], x + sides[2], y + sides[3]};
        choose(slow, classes, [&](int c) { return double{at[c]}; });
        if (slow.score >= 1.5) expected.push_back(slow);
      }
      REQUIRE(!expected.empty());
      compare(boxes(nanodet_head, clues, values, 1.5F), expected);
    }
  }
}

TEST_CASE("a segmentation's cell has the class of its highest score") {
  const int classes = 9, h = 7, w = 5;
  const Clues clues = clues_with({28, 20, 3}, {{1, classes, h, w}});
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<std::vector<float>> values{uniform(classes * h * w, -5, 5, seed)};
    const ClassMap map = std::get<DecodeMap>(segmentation_head.decode)(clues, values);
    REQUIRE(map.width == w);
    REQUIRE(map.height == h);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const int told = map.classes[static_cast<size_t>(y * w + x)];
        for (int c = 0; c < classes; ++c)
          CHECK(values[0][static_cast<size_t>((told * h + y) * w + x)] >=
                values[0][static_cast<size_t>((c * h + y) * w + x)]);
      }
  }
}

TEST_CASE("a map of classes is taken as it is, and what is no class is none") {
  for (const testing::Dims& dims : {testing::Dims{1, 2, 3}, testing::Dims{1, 1, 2, 3}}) {
    const Clues clues = clues_with({8, 12, 3}, {dims});
    REQUIRE(segmentation_head.claim(clues).has_value());
    CHECK(segmentation_head.claim(clues)->certainty == Certainty::shared);
    const std::vector<std::vector<float>> values{{0, 3, 20, -1, NAN, 1e30F}};
    CHECK(std::get<DecodeMap>(segmentation_head.decode)(clues, values) ==
          ClassMap{3, 2, {0, 3, 20, -1, -1, -1}});
  }
}

TEST_CASE("logits become probabilities, and probabilities stay what they are") {
  const Clues clues = clues_with({32, 32, 3}, {{1, 10}});
  const auto decode = std::get<DecodeScores>(classification_head.decode);
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const std::vector<float> logits = uniform(10, -90, 90, seed);
    double all = 0;
    for (const float logit : logits) all += std::exp(double{logit});
    const std::vector<float> found = decode(clues, std::vector<std::vector<float>>{logits});
    for (size_t c = 0; c < 10; ++c)
      CHECK(found[c] == doctest::Approx(std::exp(double{logits[c]}) / all).epsilon(1e-4));
    CHECK(decode(clues, std::vector<std::vector<float>>{found}) == found);
  }
}

// Heads against a slow decode that is written from the formulas alone: it walks the rows by index,
// in double precision, over every class.
#include <doctest/doctest.h>

#include <cmath>

#include "apps/head_fastestdet.hpp"
#include "apps/head_yolox.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

struct SlowDetection {
  int class_id = -1;
  double score = 0, left = 0, top = 0, right = 0, bottom = 0;
};

void compare(const std::vector<Detection>& found, const std::vector<SlowDetection>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].class_id == expected[i].class_id);
    CHECK(found[i].score == doctest::Approx(expected[i].score).epsilon(1e-5));
    CHECK(found[i].box.x == doctest::Approx(expected[i].left).epsilon(1e-3));
    CHECK(found[i].box.y == doctest::Approx(expected[i].top).epsilon(1e-3));
    CHECK(found[i].box.x + found[i].box.w == doctest::Approx(expected[i].right).epsilon(1e-3));
    CHECK(found[i].box.y + found[i].box.h == doctest::Approx(expected[i].bottom).epsilon(1e-3));
  }
}

SlowDetection yolox_row(const std::vector<float>& rows, size_t row, int classes, int side) {
  const int cells[3] = {side / 8, side / 16, side / 32};
  size_t local = row;
  int level = 0;
  while (local >= static_cast<size_t>(cells[level] * cells[level])) {
    local -= static_cast<size_t>(cells[level] * cells[level]);
    ++level;
  }
  const double stride = 8 << level;
  const size_t width = static_cast<size_t>(cells[level]);
  const float* at = rows.data() + row * static_cast<size_t>(5 + classes);
  const double cx = (static_cast<double>(local % width) + double{at[0]}) * stride;
  const double cy = (static_cast<double>(local / width) + double{at[1]}) * stride;
  const double w = std::exp(double{at[2]}) * stride, h = std::exp(double{at[3]}) * stride;
  SlowDetection slow{
      .left = cx - w / 2, .top = cy - h / 2, .right = cx + w / 2, .bottom = cy + h / 2};
  for (int c = 0; c < classes; ++c) {
    const double score = double{at[4]} * double{at[5 + c]};
    if (slow.class_id >= 0 && score <= slow.score) continue;
    slow.score = score;
    slow.class_id = c;
  }
  return slow;
}

std::vector<float> scores_and_boxes(size_t count, uint64_t seed) {
  networks::Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = random.uniform(0.0F, 1.0F);
  return values;
}

}  // namespace

TEST_CASE("YOLOX's rows decode as its formulas say") {
  const int side = 64, classes = 7;
  const Shape input{side, side, 3};
  REQUIRE(yolox_rows(input) == 8 * 8 + 4 * 4 + 2 * 2);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const auto rows = scores_and_boxes(84 * (5 + classes), seed);
    std::vector<SlowDetection> expected;
    for (size_t row = 0; row < 84; ++row) {
      const SlowDetection slow = yolox_row(rows, row, classes, side);
      if (slow.score >= 0.25) expected.push_back(slow);
    }
    REQUIRE(!expected.empty());
    compare(decode_yolox(rows, 5 + classes, input, 0.25F), expected);
  }
}

TEST_CASE("YOLOX-nano at 416 has 3549 rows") { CHECK(yolox_rows({416, 416, 3}) == 3549); }

TEST_CASE("FastestDet's cells decode as its formulas say") {
  const int cells = 6, classes = 4, side = 96;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const auto map = scores_and_boxes(size_t{cells} * cells * (5 + classes), seed);
    const auto at = [&](int channel, int y, int x) {
      return double{map[static_cast<size_t>((channel * cells + y) * cells + x)]};
    };
    std::vector<SlowDetection> expected;
    for (int y = 0; y < cells; ++y)
      for (int x = 0; x < cells; ++x) {
        SlowDetection slow;
        double best = -1;
        for (int c = 0; c < classes; ++c)
          if (at(5 + c, y, x) > best) best = at(5 + c, y, x), slow.class_id = c;
        slow.score = std::exp(0.6 * std::log(at(0, y, x)) + 0.4 * std::log(best));
        if (slow.score < 0.5) continue;
        const double cx = (x + std::tanh(at(1, y, x))) * side / cells;
        const double cy = (y + std::tanh(at(2, y, x))) * side / cells;
        const double w = side / (1 + std::exp(-at(3, y, x)));
        const double h = side / (1 + std::exp(-at(4, y, x)));
        slow.left = cx - w / 2, slow.right = cx + w / 2;
        slow.top = cy - h / 2, slow.bottom = cy + h / 2;
        expected.push_back(slow);
      }
    REQUIRE(!expected.empty());
    compare(decode_fastestdet(map, {cells, cells, 5 + classes}, {side, side, 3}, 0.5F), expected);
  }
}

TEST_CASE("a negative objectness is no detection and no crash") {
  const std::vector<float> map(2 * 2 * 6, -1.0F);
  CHECK(decode_fastestdet(map, {2, 2, 6}, {32, 32, 3}, 0.0F).empty());
}

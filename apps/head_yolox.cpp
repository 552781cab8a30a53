#include "apps/head_yolox.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace shingle {
namespace {

constexpr std::array<int32_t, 3> strides{8, 16, 32};

struct Cell {
  int32_t x = 0, y = 0, stride = 1;
};

Detection decode(std::span<const float> row, Cell cell) {
  const auto best = std::max_element(row.begin() + 5, row.end());
  const float stride = static_cast<float>(cell.stride);
  const float w = std::exp(row[2]) * stride, h = std::exp(row[3]) * stride;
  const float x = (row[0] + static_cast<float>(cell.x)) * stride;
  const float y = (row[1] + static_cast<float>(cell.y)) * stride;
  return {.class_id = static_cast<int>(best - row.begin() - 5),
          .score = row[4] * *best,
          .box = {x - w / 2, y - h / 2, w, h}};
}

}  // namespace

int64_t yolox_rows(Shape input) {
  int64_t rows = 0;
  for (const int32_t stride : strides) rows += int64_t{input.h / stride} * (input.w / stride);
  return rows;
}

std::vector<Detection> decode_yolox(std::span<const float> rows, int64_t row_size, Shape input,
                                    float min_score) {
  assert(row_size > 5 && std::ssize(rows) == yolox_rows(input) * row_size);
  std::vector<Detection> found;
  const size_t step = static_cast<size_t>(row_size);
  for (const int32_t stride : strides)
    for (int32_t y = 0; y < input.h / stride; ++y)
      for (int32_t x = 0; x < input.w / stride; ++x) {
        const Detection detection = decode(rows.first(step), {x, y, stride});
        rows = rows.subspan(step);
        if (detection.score >= min_score) found.push_back(detection);
      }
  return found;
}

}  // namespace shingle

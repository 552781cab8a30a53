#include "apps/heads/kinds/cells.hpp"

#include <cassert>

namespace shingle {
namespace {

int32_t steps(int32_t size, int32_t stride) { return (size + stride - 1) / stride; }

}  // namespace

int64_t cell_count(Shape input, std::span<const int32_t> strides) {
  int64_t count = 0;
  for (const int32_t stride : strides)
    count += int64_t{steps(input.h, stride)} * steps(input.w, stride);
  return count;
}

std::vector<Cell> cells_of(Shape input, std::span<const int32_t> strides) {
  std::vector<Cell> cells;
  cells.reserve(static_cast<size_t>(cell_count(input, strides)));
  for (const int32_t stride : strides)
    for (int32_t y = 0; y < steps(input.h, stride); ++y)
      for (int32_t x = 0; x < steps(input.w, stride); ++x) cells.push_back({x, y, stride});
  return cells;
}

BestClass best_class(const Table& table, size_t row, size_t begin, size_t end) {
  assert(begin < end);
  size_t best = begin;
  for (size_t column = begin + 1; column < end; ++column)
    if (table(row, column) > table(row, best)) best = column;
  return {static_cast<int>(best - begin), table(row, best)};
}

int32_t class_in(float value) {
  constexpr float most = 1 << 20;
  return value >= 0.0F && value < most ? static_cast<int32_t>(value + 0.5F) : -1;
}

bool covers_cells(int64_t rows, int64_t each, Shape input) {
  return rows == each * cell_count(input, strides_8_to_32) ||
         rows == each * cell_count(input, strides_8_to_64);
}

std::vector<Detection> decoded_rows(const Table& table, size_t classes, float min_score) {
  constexpr size_t behind_box = 4;
  assert(classes >= behind_box);
  std::vector<Detection> found;
  for (size_t row = 0; row < table.rows; ++row) {
    const BestClass best = best_class(table, row, classes, table.columns);
    float score = best.score;
    for (size_t factor = behind_box; factor < classes; ++factor) score *= table(row, factor);
    if (!(score >= min_score)) continue;
    found.push_back(
        {best.class_id, score, around(table(row, 0), table(row, 1), table(row, 2), table(row, 3))});
  }
  return found;
}

}  // namespace shingle

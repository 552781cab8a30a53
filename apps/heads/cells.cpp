#include "apps/heads/cells.hpp"

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

}  // namespace shingle

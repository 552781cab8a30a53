// What detectors' heads share: the cells of their grids, and tables with a row for each cell.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/findings/detection.hpp"
#include "partition/model/region.hpp"

namespace shingle {

inline float sigmoid(float value) { return 1.0F / (1.0F + std::exp(-value)); }

struct Cell {
  int32_t x = 0, y = 0, stride = 1;
};
inline constexpr std::array<int32_t, 4> strides_8_to_64{8, 16, 32, 64};
inline constexpr std::span<const int32_t> strides_8_to_32{strides_8_to_64.data(), 3};

// The cells of one grid for each stride, row by row, the first stride's first. Where the input is
// no multiple of a stride the last cells lie partly outside.
std::vector<Cell> cells_of(Shape input, std::span<const int32_t> strides);
int64_t cell_count(Shape input, std::span<const int32_t> strides);

// `rows` records of `columns` numbers, one after the other or (transposed) number by number.
struct Table {
  std::span<const float> values;
  size_t rows = 0, columns = 0;
  bool transposed = false;
  float operator()(size_t row, size_t column) const {
    return values[transposed ? column * rows + row : row * columns + column];
  }
};

struct BestClass {
  int class_id = 0;
  float score = 0.0F;
};
// The best of the classes in columns [begin, end); the first of equals. REQUIRES: begin < end.
BestClass best_class(const Table& table, size_t row, size_t begin, size_t end);

// The class that a graph's ArgMax or TopK left as a float; -1: what is no class.
int32_t class_in(float value);

inline Box around(float centre_x, float centre_y, float w, float h) {
  return {centre_x - w / 2, centre_y - h / 2, w, h};
}

// Is `rows` a number of rows with `each` for every cell of strides 8, 16 and 32, or 64 too (the
// "P6" models)?
bool covers_cells(int64_t rows, int64_t each, Shape input);

// Rows [x, y, w, h, factors of the score..., class scores from column `classes` on], decoded in the
// graph: in input pixels and probabilities. Those of at least `min_score`. REQUIRES: classes >= 4.
std::vector<Detection> decoded_rows(const Table& table, size_t classes, float min_score);

}  // namespace shingle

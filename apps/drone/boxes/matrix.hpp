// A table of numbers: what each pair of a row and a column costs, or how much its boxes overlap.
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

namespace shingle::drone {

class Matrix {
 public:
  Matrix(size_t rows, size_t columns, double value = 0.0)
      : rows_(rows), columns_(columns), values_(rows * columns, value) {}
  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  double& at(size_t row, size_t column) { return values_[index_of(row, column)]; }
  double at(size_t row, size_t column) const { return values_[index_of(row, column)]; }
  friend bool operator==(const Matrix&, const Matrix&) = default;

 private:
  size_t index_of(size_t row, size_t column) const {
    assert(row < rows_ && column < columns_);
    return row * columns_ + column;
  }
  size_t rows_, columns_;
  std::vector<double> values_;
};

}  // namespace shingle::drone

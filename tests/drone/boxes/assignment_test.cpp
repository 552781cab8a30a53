// Cheapest pairs compared with all ways to pair small matrices.
#include "apps/drone/boxes/assignment.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "partition/base/dice.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

// The least sum of (cost - limit) over all sets of pairs, tried one by one.
double least_sum(const Matrix& costs, double limit, size_t row, std::vector<bool>& is_taken) {
  if (row == costs.rows()) return 0.0;
  double best = least_sum(costs, limit, row + 1, is_taken);  // the row stays alone
  for (size_t column = 0; column < costs.columns(); ++column) {
    if (is_taken[column]) continue;
    is_taken[column] = true;
    best =
        std::min(best, costs.at(row, column) - limit + least_sum(costs, limit, row + 1, is_taken));
    is_taken[column] = false;
  }
  return best;
}

double sum_of(const Matrix& costs, const std::vector<Pair>& pairs, double limit) {
  double sum = 0.0;
  for (const Pair& pair : pairs) sum += costs.at(pair.row, pair.column) - limit;
  return sum;
}

Matrix matrix_of(size_t rows, size_t columns, const std::vector<double>& values) {
  Matrix matrix(rows, columns);
  for (size_t index = 0; index < values.size(); ++index)
    matrix.at(index / columns, index % columns) = values[index];
  return matrix;
}

}  // namespace

TEST_CASE("cheapest pairs are as cheap as the best of all ways") {
  constexpr uint64_t seed = 20;
  INFO("seed ", seed);
  Dice dice(seed);
  for (int round = 0; round < 2000; ++round) {
    const size_t rows = dice.below(6), columns = dice.below(6);
    Matrix costs(rows, columns);
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0; column < columns; ++column)
        costs.at(row, column) = static_cast<double>(dice.below(round % 2 == 0 ? 5 : 1000)) / 4.0;
    const double limit = static_cast<double>(dice.below(round % 2 == 0 ? 6 : 1200)) / 4.0;
    const std::vector<Pair> pairs = cheapest_pairs(costs, limit);
    std::vector<bool> is_taken(columns);
    CHECK(sum_of(costs, pairs, limit) == doctest::Approx(least_sum(costs, limit, 0, is_taken)));
    std::vector<bool> row_seen(rows), column_seen(columns);
    for (const Pair& pair : pairs) {
      CHECK(costs.at(pair.row, pair.column) < limit);
      CHECK_FALSE((row_seen[pair.row] || column_seen[pair.column]));
      row_seen[pair.row] = column_seen[pair.column] = true;
    }
  }
}

TEST_CASE("a pair above the limit takes nothing from others") {
  // Without a limit 0-1 and 1-0 are cheapest together (1.0). With the limit 0.8, 1-0 cannot be, so
  // row 0 takes the column that suits it better.
  const Matrix costs = matrix_of(2, 2, {0.3, 0.1, 0.9, 0.95});
  CHECK(cheapest_pairs(costs, 0.8) == std::vector<Pair>{{0, 1}});
}

TEST_CASE("pairs come by row, for tall matrices too") {
  const Matrix costs = matrix_of(3, 2, {0.5, 0.2, 0.9, 0.9, 0.1, 0.6});
  CHECK(cheapest_pairs(costs, 0.8) == std::vector<Pair>{{0, 1}, {2, 0}});
}

TEST_CASE("nothing to pair gives no pairs") {
  CHECK(cheapest_pairs(Matrix(0, 4), 1.0).empty());
  CHECK(cheapest_pairs(Matrix(4, 0), 1.0).empty());
  CHECK(cheapest_pairs(Matrix(2, 2, 3.0), 1.0).empty());
}

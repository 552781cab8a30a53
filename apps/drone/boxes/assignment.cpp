#include "apps/drone/boxes/assignment.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace shingle::drone {
namespace {

constexpr size_t nobody = std::numeric_limits<size_t>::max();

// Adds rows one by one. Each addition is a shortest path, in reduced costs, from the new row over
// matched columns to a free one; along it rows and columns change partners.
class Augmentation {
 public:
  // REQUIRES: at least as many columns as rows.
  explicit Augmentation(const Matrix& costs)
      : costs_(costs),
        row_price_(costs.rows()),
        column_price_(costs.columns()),
        row_of_(costs.columns(), nobody) {
    assert(costs.rows() <= costs.columns());
  }

  void add(size_t row) {
    distance_.assign(costs_.columns(), std::numeric_limits<double>::infinity());
    reached_from_.assign(costs_.columns(), nobody);
    is_settled_.assign(costs_.columns(), false);
    size_t from = row, last = nobody;
    double length = 0.0;
    do {
      last = nearest_after(from, last, length);
      length = distance_[last];
      is_settled_[last] = true;
      from = row_of_[last];
    } while (from != nobody);
    update_prices(row, length);
    change_partners(row, last);
  }

  size_t row_of(size_t column) const { return row_of_[column]; }

 private:
  // Adds the paths through row `from`, then returns the nearest column that is not settled. The
  // row was reached from the column `over`, by a path of this `length`.
  size_t nearest_after(size_t from, size_t over, double length) {
    size_t best = nobody;
    for (size_t column = 0; column < costs_.columns(); ++column) {
      if (is_settled_[column]) continue;
      const double through =
          length + costs_.at(from, column) - row_price_[from] - column_price_[column];
      if (through < distance_[column]) {
        distance_[column] = through;
        reached_from_[column] = over;
      }
      if (best == nobody || distance_[column] < distance_[best]) best = column;
    }
    assert(best != nobody);
    return best;
  }

  // Keeps all reduced costs at 0 or more, and those of pairs at 0.
  void update_prices(size_t added, double length) {
    row_price_[added] += length;
    for (size_t column = 0; column < costs_.columns(); ++column) {
      if (!is_settled_[column] || row_of_[column] == nobody) continue;
      row_price_[row_of_[column]] += length - distance_[column];
      column_price_[column] -= length - distance_[column];
    }
  }

  void change_partners(size_t added, size_t column) {
    while (column != nobody) {
      const size_t over = reached_from_[column];
      row_of_[column] = over == nobody ? added : row_of_[over];
      column = over;
    }
  }

  const Matrix& costs_;
  std::vector<double> row_price_, column_price_, distance_{};
  std::vector<size_t> row_of_, reached_from_{};
  std::vector<bool> is_settled_{};
};

}  // namespace

std::vector<Pair> cheapest_pairs(const Matrix& costs, double limit) {
  const bool is_turned = costs.rows() > costs.columns();
  const size_t rows = is_turned ? costs.columns() : costs.rows();
  const size_t columns = is_turned ? costs.rows() : costs.columns();
  // What a pair saves against two that stay alone; one that saves nothing is as good as none.
  Matrix savings(rows, columns);
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column) {
      const double cost = is_turned ? costs.at(column, row) : costs.at(row, column);
      assert(std::isfinite(cost));
      savings.at(row, column) = std::min(cost - limit, 0.0);
    }
  Augmentation augmentation(savings);
  for (size_t row = 0; row < rows; ++row) augmentation.add(row);

  std::vector<Pair> pairs;
  for (size_t column = 0; column < columns; ++column) {
    const size_t row = augmentation.row_of(column);
    if (row == nobody || savings.at(row, column) >= 0.0) continue;
    pairs.push_back(is_turned ? Pair{column, row} : Pair{row, column});
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.row < b.row; });
  return pairs;
}

}  // namespace shingle::drone

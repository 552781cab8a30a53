// Least squares of a few unknowns that are not negative: normal equations by Gauss-Jordan, and
// unknowns that come out negative are set to 0, the most negative one first. (An active-set method
// that never takes an unknown back; with costs, of which each tile has a share, none comes back.)
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace shingle {

template <size_t unknowns>
class LeastSquares {
 public:
  using Row = std::array<double, unknowns>;

  // The equation row . x = value.
  void add(const Row& row, double value) {
    for (size_t i = 0; i < unknowns; ++i) {
      right_[i] += row[i] * value;
      for (size_t j = 0; j < unknowns; ++j) normal_[i][j] += row[i] * row[j];
    }
  }

  Row solve_not_negative() const {
    std::vector<size_t> active;
    for (size_t i = 0; i < unknowns; ++i)
      if (normal_[i][i] > 0.0) active.push_back(i);
    Row result{};
    while (!active.empty()) {
      const std::vector<double> solved = solve(active);
      size_t lowest = 0;
      for (size_t i = 0; i < active.size(); ++i)
        if (solved[i] * scale(active[i]) < solved[lowest] * scale(active[lowest])) lowest = i;
      if (solved[lowest] >= 0.0) {
        for (size_t i = 0; i < active.size(); ++i) result[active[i]] = solved[i];
        break;
      }
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(lowest));
    }
    return result;
  }

 private:
  static constexpr double ridge = 1e-12;  // of the scaled equations, whose diagonal is 1

  double scale(size_t i) const { return std::sqrt(normal_[i][i]); }

  std::vector<double> solve(const std::vector<size_t>& active) const {
    const size_t n = active.size();
    std::vector<std::vector<double>> m(n, std::vector<double>(n + 1));
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j)
        m[i][j] = normal_[active[i]][active[j]] / (scale(active[i]) * scale(active[j]));
      m[i][i] += ridge;
      m[i][n] = right_[active[i]] / scale(active[i]);
    }
    for (size_t i = 0; i < n; ++i) eliminate(m, i);
    std::vector<double> solved(n);
    for (size_t i = 0; i < n; ++i) solved[i] = m[i][n] / m[i][i] / scale(active[i]);
    return solved;
  }

  static void eliminate(std::vector<std::vector<double>>& m, size_t column) {
    size_t pivot = column;
    for (size_t i = column; i < m.size(); ++i)
      if (std::abs(m[i][column]) > std::abs(m[pivot][column])) pivot = i;
    std::swap(m[column], m[pivot]);
    for (size_t i = 0; i < m.size(); ++i) {
      const double factor = m[i][column] / m[column][column];
      if (i == column || factor == 0.0) continue;
      for (size_t j = 0; j <= m.size(); ++j) m[i][j] -= factor * m[column][j];
    }
  }

  std::array<Row, unknowns> normal_{};
  Row right_{};
};

}  // namespace shingle

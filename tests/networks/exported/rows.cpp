#include "tests/networks/exported/rows.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

namespace shingle::networks {

namespace {

using Values = std::span<const float>;

double largest_of(Values values) {
  double largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(double{value}));
  return largest;
}

double largest_difference(Values a, Values b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(double{a[i]} - double{b[i]});
    if (!std::isfinite(difference)) return HUGE_VAL;
    most = std::max(most, difference);
  }
  return most;
}

double relative(double difference, double largest) {
  return largest > 0 ? difference / largest : HUGE_VAL;
}

// One engine's outputs.
struct Table {
  std::vector<Values> rows;  // outputs of a row for each score
  std::vector<Values> keys;
  Values scores;

  Table(const RowOutputs& outputs, Values all) {
    assert(outputs.elements.size() > outputs.keys + 1);
    const size_t row_outputs = outputs.elements.size() - outputs.keys - 1;
    for (size_t i = 0; i < outputs.elements.size(); ++i) {
      const Values output = all.first(outputs.elements[i]);
      all = all.subspan(outputs.elements[i]);
      if (i < row_outputs) {
        rows.push_back(output);
      } else if (i < row_outputs + outputs.keys) {
        keys.push_back(output);
      } else {
        scores = output;
      }
    }
  }

  size_t count() const { return scores.size(); }
  std::vector<float> key(size_t row) const {
    std::vector<float> all;
    for (const Values& values : keys) all.push_back(values[row]);
    return all;
  }
  Values row(size_t output, size_t index) const {
    const size_t columns = rows[output].size() / count();
    return rows[output].subspan(index * columns, columns);
  }
  // Where each key stands; empty if one stands twice.
  std::map<std::vector<float>, size_t> places() const {
    std::map<std::vector<float>, size_t> found;
    for (size_t i = 0; i < count(); ++i)
      if (!found.emplace(key(i), i).second) return {};
    return found;
  }
};

double score_error(const Table& ours, size_t i, const Table& theirs, size_t j) {
  const double difference =
      largest_difference(ours.scores.subspan(i, 1), theirs.scores.subspan(j, 1));
  return relative(difference, largest_of(theirs.scores));
}

}  // namespace

double worst_row_error(const RowOutputs& outputs, Values ours, Values theirs) {
  const Table own(outputs, ours), other(outputs, theirs);
  const auto places = other.places();
  if (places.empty() || own.places().empty()) return HUGE_VAL;
  std::vector<double> largest;
  for (const Values& output : other.rows) largest.push_back(largest_of(output));
  double worst = 0;
  for (size_t i = 0; i < own.count(); ++i) {
    const auto found = places.find(own.key(i));
    if (found == places.end()) {
      worst = std::max(worst, score_error(own, i, other, other.count() - 1));
      continue;
    }
    const size_t j = found->second;
    worst = std::max({worst, score_error(own, i, other, j), score_error(other, i, other, j)});
    for (size_t output = 0; output < own.rows.size(); ++output) {
      const double difference = largest_difference(own.row(output, i), other.row(output, j));
      worst = std::max(worst, relative(difference, largest[output]));
    }
  }
  return worst;
}

double relative_difference(Values ours, Values theirs) {
  return relative(largest_difference(ours, theirs), largest_of(theirs));
}

}  // namespace shingle::networks

// Comparing rows that two engines chose by scores.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/networks/exported/rows.hpp"

namespace shingle::networks {

namespace {

struct Row {
  float a, b, key, score;
};

// One output of two columns, one of keys, the scores.
std::vector<float> outputs_of(const std::vector<Row>& rows) {
  std::vector<float> values;
  for (const Row& row : rows) values.insert(values.end(), {row.a, row.b});
  for (const Row& row : rows) values.push_back(row.key);
  for (const Row& row : rows) values.push_back(row.score);
  return values;
}

double error_of(const std::vector<Row>& ours, const std::vector<Row>& theirs) {
  const RowOutputs outputs{.elements = {2 * ours.size(), ours.size(), ours.size()}, .keys = 1};
  return worst_row_error(outputs, outputs_of(ours), outputs_of(theirs));
}

const std::vector<Row> theirs{{10, 1, 7, 1.0F}, {-4, 2, 3, 0.9F}, {3, 5, 4, 0.5F}};

}  // namespace

TEST_CASE("Rows that are equal have no error, and a value's error is a share of the largest one") {
  CHECK(error_of(theirs, theirs) == 0.0);
  std::vector<Row> ours = theirs;
  ours[2].b += 0.5F;
  CHECK(error_of(ours, theirs) == doctest::Approx(0.05));
  ours[2].score += 0.25F;
  CHECK(error_of(ours, theirs) == doctest::Approx(0.25));
}

TEST_CASE(
    "Rows in another order are compared by their keys, at the cost of their scores' difference") {
  const std::vector<Row> ours{{-4, 2, 3, 0.9F}, {10, 1, 7, 1.0F}, {3, 5, 4, 0.5F}};
  CHECK(error_of(ours, theirs) == doctest::Approx(0.1));
}

TEST_CASE("A row that the other engine does not have costs what its score is above the last one") {
  std::vector<Row> ours = theirs;
  ours[2] = {99, 99, 5, 0.51F};
  CHECK(error_of(ours, theirs) == doctest::Approx(0.01));
  ours[0].key = 6;
  CHECK(error_of(ours, theirs) == doctest::Approx(0.5));
}

TEST_CASE("A key that stands twice and a value that is no number are no match") {
  std::vector<Row> ours = theirs;
  ours[1].key = 7;
  CHECK(std::isinf(error_of(ours, theirs)));
  CHECK(std::isinf(error_of(theirs, ours)));
  ours = theirs;
  ours[1].b = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isinf(error_of(ours, theirs)));
  const std::vector<float> zeros{0.0F, 0.0F};
  CHECK(std::isinf(relative_difference(zeros, zeros)));
}

}  // namespace shingle::networks

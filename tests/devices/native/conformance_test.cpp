// ONNX's own backend tests, all that count: those that should pass do, whole and cut at random.
#include <doctest/doctest.h>

#include <iostream>

#include "tests/conformance/report.hpp"

namespace shingle::conformance {

TEST_CASE("ONNX's backend tests pass, whole and tiled, but for those that are expected to fail") {
  if (!std::filesystem::exists(installed_tests())) {
    std::cout << "skipped: no libonnx-testdata\n";
    return;
  }
  constexpr uint64_t seed = 7;
  const Report report = run_all(installed_tests(), seed, 2);
  CAPTURE(seed);
  CHECK(report.rows.size() > 700);
  CHECK(report.differing_bytes() == 0);
  CHECK(report.surprises() == 0);
  for (const Row& row : report.rows) {
    CAPTURE(row.folder + "/" + row.name);
    CAPTURE(row.outcome.why);
    CHECK_FALSE(row.surprising());
  }
}

}  // namespace shingle::conformance

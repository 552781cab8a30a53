// All the tests that count, and the table of what became of them.
#pragma once

#include <functional>

#include "tests/conformance/run.hpp"

namespace shingle::conformance {

struct Row {
  std::string folder, name;
  Outcome outcome;
  std::string_view expected_failure;  // why it is not expected to pass; empty: it is

  // Passed against expectation, or the other way.
  bool surprising() const { return (outcome.verdict == Verdict::pass) != expected_failure.empty(); }
};

struct Report {
  std::vector<Row> rows;
  int64_t left_out = 0;  // tests that do not count

  int64_t passed() const;
  int64_t surprises() const;
  int64_t tiled_runs() const;
  int64_t differing_bytes() const;
};

// Every test of node, pytorch-converted and pytorch-operator below `data` that counts; `plans`
// random plans on each executor for each that can be cut.
Report run_all(const std::filesystem::path& data, uint64_t seed, int plans);

// Pass, fail and unsupported by folder, then a line for each test that did not pass.
std::string table(const Report& report);

}  // namespace shingle::conformance

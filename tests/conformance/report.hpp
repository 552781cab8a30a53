// Runs all tests that count, and prints a table of their results.
#pragma once

#include <map>

#include "tests/conformance/run.hpp"

namespace shingle::conformance {

struct Row {
  std::string folder, name;
  Outcome outcome;
  std::string_view expected_failure;  // the reason; empty if it should pass

  // It passed and should fail, or it failed and should pass.
  bool surprising() const { return (outcome.verdict == Verdict::pass) != expected_failure.empty(); }
};

struct Report {
  std::vector<Row> rows;
  std::map<std::string, int64_t> left_out;  // tests that do not count, by reason

  int64_t not_counted() const;
  int64_t passed() const;
  int64_t surprises() const;
  int64_t tiled_runs() const;
  int64_t differing_bytes() const;
};

// Runs all tests that count of node, simple, pytorch-converted, pytorch-operator and light below
// `data`. What can be cut also runs by `plans` random plans on each executor, whole networks by one
// and on the native executor only.
Report run_all(const std::filesystem::path& data, uint64_t seed, int plans);

// The numbers of passed, failed and unsupported tests by folder, then a line for each test that did
// not pass.
std::string table(const Report& report);

}  // namespace shingle::conformance

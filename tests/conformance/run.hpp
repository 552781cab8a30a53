// Runs one test through the reader and the executors.
#pragma once

#include "tests/conformance/case.hpp"

namespace shingle::conformance {

enum class Verdict : uint8_t { pass, fail, unsupported };

struct Outcome {
  Verdict verdict = Verdict::pass;
  std::string why;  // the reader's error, or the first difference
  int64_t frames = 1;
  int64_t tiled_runs = 0, differing_bytes = 0;  // random plans compared with the whole run
};

// Turns the test's parameters into constants, loads the file, runs all frames on the native
// executor and on the reference executor, and compares the outputs with the expected ones. What
// passes and can be cut then runs by `plans` random plans on each executor; a whole network by one,
// on the native executor only. REQUIRES: the test counts (left_out() gives no reason).
Outcome run_case(const Case& test, uint64_t seed, int plans);

}  // namespace shingle::conformance

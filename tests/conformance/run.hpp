// One test on the reader and the executors.
#pragma once

#include "tests/conformance/case.hpp"

namespace shingle::conformance {

enum class Verdict : uint8_t { pass, fail, unsupported };

struct Outcome {
  Verdict verdict = Verdict::pass;
  std::string why;  // the reader's sentence, or the first difference
  int64_t frames = 1;
  int64_t tiled_runs = 0, differing_bytes = 0;  // of runs by random plans against whole ones
};

// Binds the test's parameters, loads what is left, runs every frame on the reference and on the
// XNNPACK executor and compares with the expected outputs; a spatial network that passes is then
// cut by `plans` random plans on each executor. REQUIRES: the rule does not leave the test out.
Outcome run_case(const Case& test, uint64_t seed, int plans);

}  // namespace shingle::conformance

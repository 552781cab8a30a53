// Self-test: does this executor give the same bits for tiles as for whole maps, here, today?
//
// A node runs it at start-up. Its digest names the arithmetic class: two executors with equal
// digests rounded alike on every layer kind that the test holds.
#pragma once

#include "devices/executor/executor.hpp"
#include "partition/base/hash.hpp"

namespace shingle {

// The digest of the whole maps' bits; an error names the first layer whose tiles differ.
// Prepares `executor` for the test's own models: use a fresh one.
Result<Hash> self_test(Executor& executor);

}  // namespace shingle

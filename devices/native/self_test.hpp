// Self-test: does this executor, on this machine, give the same bits for tiles as for whole maps?
//
// A node runs it at start-up. The digest names the arithmetic class: two executors with equal
// digests have rounded in the same way on every kind of layer in the test.
#pragma once

#include "devices/executor/executor.hpp"
#include "partition/base/hash.hpp"

namespace shingle {

// The digest of the whole maps' bits. The error names the first layer whose tiles differ. Use a
// fresh executor, because the test prepares it for models of its own.
Result<Hash> self_test(Executor& executor);

}  // namespace shingle

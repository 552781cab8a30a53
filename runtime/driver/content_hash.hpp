// What an audit compares: a hash of the inputs or of the outputs of a tile, as they lie in
// canvases.
#pragma once

#include <span>

#include "devices/executor/executor.hpp"
#include "partition/plan/plan.hpp"

namespace shingle {

// Of the slices' elements in (y, x, c) order, one slice after the other: the same wherever the
// canvases end. REQUIRES: as many canvases as
// slices, and canvas i holds slice i.
uint64_t content_hash(std::span<const ConstTensorView> canvases, std::span<const Slice> slices);

}  // namespace shingle

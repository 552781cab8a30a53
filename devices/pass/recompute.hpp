// Recompute: chooses steps of a pass to compute a second time, so that a map need not be stored
// until its last reader runs.
//
//   early:  image -> a -> b -> pool -> ... -> up ----------.
//                          '-- (skip, hundreds of rows) --> concat      becomes
//   again:  image -> a'-> b'-------------------------------> concat     a few rows, later
//
// This is for the skip connections of U-Nets. The second computation has the same layers and the
// same inputs: the same bits.
#pragma once

#include <vector>

#include "devices/pass/fuse_steps.hpp"

namespace shingle {

struct Recomputed {
  struct Reading {
    size_t step = 0;
    TensorId tensor;
  };
  std::vector<size_t> steps;  // indices of fused steps, ascending; each reads others' second maps
  std::vector<Reading> late;  // readings that take the second maps
  size_t before = 0;          // the first step with such a reading
};

// Steps whose map has a late reader: a step that reads the map and also depends on another reader
// of it.
std::vector<size_t> steps_with_late_readers(const Model& model, const TileProgram& program,
                                            const std::vector<FusedStep>& fused);

// What to compute again for the late readers of the maps of `sources` (from
// steps_with_late_readers).
Recomputed recompute(const Model& model, const TileProgram& program,
                     const std::vector<FusedStep>& fused, const std::vector<size_t>& sources);

// Multiply-adds of the steps that are computed again.
int64_t macs_again(const Model& model, const TileProgram& program,
                   const std::vector<FusedStep>& fused, const Recomputed& again);

}  // namespace shingle

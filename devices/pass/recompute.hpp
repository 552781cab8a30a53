// Recompute: which steps of a pass to compute a second time, so that a map with a late reader need
// not wait for it.
//
//   early:  image -> a -> b -> pool -> ... -> up ----------.
//                          '-- (skip, hundreds of rows) --> concat      becomes
//   again:  image -> a'-> b'-------------------------------> concat     a few rows, later
//
// A U-Net's skips are the case. The second time is the first one's layers on the first one's
// inputs: the same bits.
#pragma once

#include <vector>

#include "devices/pass/fuse_steps.hpp"

namespace shingle {

struct Recomputed {
  struct Reading {
    size_t step = 0;
    TensorId tensor;
  };
  std::vector<size_t> steps;  // of the fused ones, ascending: computed again, from each other
  std::vector<Reading> late;  // take the second ones' maps
  size_t before = 0;          // the first step that does
};

// Steps whose map a step reads that also follows from another of its readers.
std::vector<size_t> steps_with_late_readers(const Model& model, const TileProgram& program,
                                            const std::vector<FusedStep>& fused);

// For the late readers of the maps of `sources` (from steps_with_late_readers).
Recomputed recompute(const Model& model, const TileProgram& program,
                     const std::vector<FusedStep>& fused, const std::vector<size_t>& sources);

// Multiply-adds of the steps that are computed again.
int64_t macs_again(const Model& model, const TileProgram& program,
                   const std::vector<FusedStep>& fused, const Recomputed& again);

}  // namespace shingle

// Compares outputs whose rows two engines chose by scores: where scores are almost equal, the
// engines may choose other rows, or order them otherwise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace shingle::networks {

// The outputs of exported() with ExportOptions::selection: [rows, keys, scores]. A row of one
// engine is compared with the row of the other that has the same keys. Returns the largest
// difference of
//   - rows and scores that belong together,
//   - scores at two places, where a row stands at another place in the other engine's outputs,
//   - a score and the other engine's last one, where the other engine does not have this row,
// each relative to the largest value of its output in `theirs`. Infinite if a value is not finite,
// or if two rows have the same keys.
struct RowOutputs {
  std::vector<size_t> elements;  // by output
  size_t keys = 0;
};
double worst_row_error(const RowOutputs& outputs, std::span<const float> ours,
                       std::span<const float> theirs);

// The largest difference of an output, relative to the largest value in `theirs`; infinite if a
// value is not finite or all of `theirs` are 0. REQUIRES: as many values.
double relative_difference(std::span<const float> ours, std::span<const float> theirs);

}  // namespace shingle::networks

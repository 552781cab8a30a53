// What the slices of one picture say together.
//
//   1. a box that no inner border cuts is whole; of whole boxes of two slices on one vehicle the
//      better one stays
//   2. a cut box goes where a whole one covers the vehicle
//   3. cut boxes of several slices that meet are one vehicle that no slice holds: their union
//   4. a cut box that is left goes too: it would show a vehicle of the wrong size
#pragma once

#include <span>
#include <vector>

#include "apps/drone/slices/slice.hpp"
#include "apps/findings/detection.hpp"

namespace shingle::drone {

struct SliceFinding {
  PictureSlice slice{};
  std::vector<Detection> found{};  // in the picture's pixels; none of them twice
};

// Best first. `max_overlap`: of two boxes of different slices that are two vehicles, whatever their
// classes; boxes of one slice are left as they are.
std::vector<Detection> merged(std::span<const SliceFinding> slices, const SliceGeometry& geometry,
                              float max_overlap);

}  // namespace shingle::drone

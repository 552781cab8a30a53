// Where a box lies in a picture: as whole pixels, and as shares of the picture's sides.
#pragma once

#include <cstdint>

struct shingle_box;

namespace shingle::gst {

struct PictureSides {
  int32_t width = 0, height = 0;
};

// The whole pixels of the picture that the box covers, at least one; and the box's own edges, cut
// at the picture's border, from 0 (left, top) to 1 (right, bottom).
struct BoxRegion {
  uint32_t x = 0, y = 0, width = 1, height = 1;
  double x_min = 0.0, x_max = 0.0, y_min = 0.0, y_max = 0.0;

  bool operator==(const BoxRegion&) const = default;
};

// REQUIRES: both sides are at least 1. A coordinate that is no number counts as 0.
BoxRegion region_of(const shingle_box& box, PictureSides picture);

}  // namespace shingle::gst

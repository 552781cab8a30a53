// Mask: which pixels of a box belong to its object. As in YOLACT, all objects share a few
// prototypes (maps over the whole input), and an object's mask is their sum, weighted by the
// object's numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/findings/detection.hpp"
#include "apps/pictures/placement.hpp"

namespace shingle {

// Pixels row by row in a rectangle of the picture: so many outside the object, then so many of it,
// and so on. The runs sum to w * h.
struct Mask {
  int32_t x = 0, y = 0, w = 0, h = 0;
  std::vector<uint32_t> runs;
  friend bool operator==(const Mask&, const Mask&) = default;
};

struct Prototypes {
  std::span<const float> values;  // count x h x w
  size_t count = 0;
  int32_t h = 0, w = 0;
};

// The sum of weighted prototypes is a logit for each of their cells. A pixel of the box, widened to
// whole pixels, belongs to the object where the logit at its middle, bilinear between the middles
// of cells, is positive. REQUIRES: as many weights as prototypes; `box` lies in the picture.
Mask mask_in_picture(const Prototypes& prototypes, std::span<const float> weights, const Box& box,
                     Shape input, const Placement& placement);

// f(y, x begin, x end) for each stretch of the object's pixels within a row.
template <class F>
void for_each_stretch(const Mask& mask, F f) {
  int64_t at = 0;
  for (size_t i = 0; i < mask.runs.size(); ++i) {
    const int64_t end = at + mask.runs[i];
    for (int64_t from = at; i % 2 == 1 && from < end;) {
      const int64_t row = from / mask.w, row_end = std::min(end, (row + 1) * mask.w);
      f(static_cast<int>(mask.y + row), static_cast<int>(mask.x + from - row * mask.w),
        static_cast<int>(mask.x + row_end - row * mask.w));
      from = row_end;
    }
    at = end;
  }
}

}  // namespace shingle

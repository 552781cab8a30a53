// The scaler of pictures: bilinear between the middles of pixels, in integers, the same bytes on
// every processor.
//
//   source row --(columns: weights of 1/2048)--> 15 bits a value --(rows: the same)--> target row
//
// The arithmetic is that of OpenCV's INTER_LINEAR for 8 bits: weights are rounded to 11 bits, what
// is between columns keeps 7 bits behind the point, the two products of a column are cut to 2 bits
// behind the point before they are added and rounded. Exactly half the size in both directions is
// the mean of 2 x 2 pixels. Shrinking by more than two skips pixels.
#pragma once

#include "apps/pictures/picture_view.hpp"

namespace shingle {

// Fills `target` with `source`, scaled. REQUIRES: as many channels, 1 or 3; no size is 0; they
// share no memory.
void scale_bilinear(const PictureView& source, const PictureSpan& target);

}  // namespace shingle

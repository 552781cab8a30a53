// A slice: a part of a picture that is one input of a model, at the ground scale that the model was
// trained at. `shrink` says how many pixels of the picture are one of the input.
//
//   picture                          input
//   +--------------------+
//   |   +------+         |           +------+
//   |   |slice |         |  shrunk   |      |
//   |   +------+         |  ------>  +------+   a picture smaller than a slice leaves fill at the
//   |                    |  by area             right and below
//   +--------------------+
//
// Boxes at a slice's inner border are cut. So slices overlap by `slice_overlap`, and what lies
// `slice_margin` within the inner borders counts as looked at: a vehicle whose middle lies there is
// whole.
#pragma once

#include <vector>

#include "apps/drone/boxes/pixel_box.hpp"

namespace shingle::drone {

inline constexpr double slice_margin = 56.0;                 // pixels of the input: half a bus
inline constexpr double slice_overlap = 2.0 * slice_margin;  // more than a vehicle

struct SliceGeometry {
  int picture_width = 0, picture_height = 0;  // pixels, above 0
  int input_width = 0, input_height = 0;      // of the model, above slice_overlap + 16
  double shrink = 1.0;                        // above 0; below 1: slices are enlarged
  friend bool operator==(const SliceGeometry&, const SliceGeometry&) = default;
};

struct PictureSlice {  // pixels of the picture, within it
  int x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const PictureSlice&, const PictureSlice&) = default;
};

int slice_width(const SliceGeometry& geometry);
int slice_height(const SliceGeometry& geometry);

// The shrink at which one slice holds the whole picture.
double whole_shrink(const SliceGeometry& geometry);

// Slices at the geometry's shrink whose inner parts leave nothing of the picture out, row by row.
std::vector<PictureSlice> full_cover(const SliceGeometry& geometry);

// The part of a slice where no vehicle is cut, if its middle lies there.
PixelBox inner_part(const PictureSlice& slice, const SliceGeometry& geometry);

// A box (in the picture) that ends at a border of the slice inside of the picture.
bool is_cut(const PixelBox& box, const PictureSlice& slice, const SliceGeometry& geometry);

}  // namespace shingle::drone

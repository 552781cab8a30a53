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
// If the camera looks slantwise, the ground at the top of the picture is farther away, so slices
// are smaller there. For flat ground the shrink grows linearly from row to row, because the inverse
// depth of a plane is affine in the picture. input_rows() counts rows in pixels of the input; there
// all slices have the same height.
//
//   +-+-+-+-+-+
//   +--+-+-+--+
//   |   |  |  |
//   +---+--+--+
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
  double shrink = 1.0;  // in the picture's middle, above 0; below 1: slices are enlarged
  double slope = 0.0;   // of the shrink, a row downwards; at least 0
  double min_shrink = 1e-3, max_shrink = 1e6;  // bounds of each row's shrink; above 0
  friend bool operator==(const SliceGeometry&, const SliceGeometry&) = default;
};

struct PictureSlice {  // pixels of the picture, within it
  int x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const PictureSlice&, const PictureSlice&) = default;
};

double shrink_at(const SliceGeometry& geometry, double y);  // in that row

// Pixels of the input that the picture's rows from the top down to `y` take, and the other way: the
// row down to which the input has so many.
double input_rows(const SliceGeometry& geometry, double y);
double picture_row(const SliceGeometry& geometry, double rows);

// The mean shrink of the slice's rows.
double shrink_of(const PictureSlice& slice, const SliceGeometry& geometry);

// The leftmost slice that begins `rows` rows of the input below the picture's top. It is moved up
// if it would reach over the picture's end.
PictureSlice slice_below(const SliceGeometry& geometry, double rows);

// The shrink at which one slice holds the whole picture.
double whole_shrink(const SliceGeometry& geometry);

// Slices at the geometry's shrink whose inner parts leave nothing of the picture out, row by row.
std::vector<PictureSlice> full_cover(const SliceGeometry& geometry);

// The part of a slice where no vehicle is cut, if its middle lies there.
PixelBox inner_part(const PictureSlice& slice, const SliceGeometry& geometry);

// A box (in the picture) that ends at a border of the slice inside of the picture.
bool is_cut(const PixelBox& box, const PictureSlice& slice, const SliceGeometry& geometry);

}  // namespace shingle::drone

#include "apps/drone/slices/slice.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle::drone {
namespace {

constexpr double touching = 1.5;  // pixels of the input

int length(int picture, int input, double shrink) {
  assert(picture > 0 && input > 0 && shrink > 0.0);
  return std::clamp(static_cast<int>(std::lround(input * shrink)), 1, picture);
}

// As few as possible, equally far apart.
std::vector<int> starts(int picture, int slice, double overlap) {
  if (slice >= picture) return {0};
  const double step = std::max(1.0, slice - overlap);
  const int steps = static_cast<int>(std::ceil((picture - slice) / step));
  std::vector<int> all;
  for (int i = 0; i <= steps; ++i)
    all.push_back(static_cast<int>((static_cast<int64_t>(picture - slice) * i) / steps));
  return all;
}

}  // namespace

int slice_width(const SliceGeometry& geometry) {
  return length(geometry.picture_width, geometry.input_width, geometry.shrink);
}

int slice_height(const SliceGeometry& geometry) {
  return length(geometry.picture_height, geometry.input_height, geometry.shrink);
}

double whole_shrink(const SliceGeometry& geometry) {
  return std::max(static_cast<double>(geometry.picture_width) / geometry.input_width,
                  static_cast<double>(geometry.picture_height) / geometry.input_height);
}

std::vector<PictureSlice> full_cover(const SliceGeometry& geometry) {
  const int width = slice_width(geometry), height = slice_height(geometry);
  const double overlap = slice_overlap * geometry.shrink;
  std::vector<PictureSlice> all;
  for (const int y : starts(geometry.picture_height, height, overlap))
    for (const int x : starts(geometry.picture_width, width, overlap))
      all.push_back({x, y, width, height});
  return all;
}

PixelBox inner_part(const PictureSlice& slice, const SliceGeometry& geometry) {
  const double margin = slice_margin * geometry.shrink;
  const double left = slice.x > 0 ? slice.x + margin : 0.0;
  const double top = slice.y > 0 ? slice.y + margin : 0.0;
  const bool ends_right = slice.x + slice.width >= geometry.picture_width;
  const bool ends_below = slice.y + slice.height >= geometry.picture_height;
  const double right = slice.x + slice.width - (ends_right ? 0.0 : margin);
  const double bottom = slice.y + slice.height - (ends_below ? 0.0 : margin);
  return {left, top, std::max(0.0, right - left), std::max(0.0, bottom - top)};
}

bool is_cut(const PixelBox& box, const PictureSlice& slice, const SliceGeometry& geometry) {
  const double near = touching * geometry.shrink;
  const int right = slice.x + slice.width, bottom = slice.y + slice.height;
  return (slice.x > 0 && box.x < slice.x + near) || (slice.y > 0 && box.y < slice.y + near) ||
         (right < geometry.picture_width && box.right() > right - near) ||
         (bottom < geometry.picture_height && box.bottom() > bottom - near);
}

}  // namespace shingle::drone

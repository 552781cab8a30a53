#include "apps/drone/slices/slice.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle::drone {
namespace {

constexpr double touching = 1.5;  // pixels of the input
constexpr double rounding = 1e-6;

int length(int picture, int input, double shrink) {
  assert(picture > 0 && input > 0 && shrink > 0.0);
  return std::clamp(static_cast<int>(std::lround(input * shrink)), 1, picture);
}

// Of a side of `whole`, as few parts as possible, equally far apart.
std::vector<double> starts(double whole, double part, double overlap) {
  if (part >= whole - rounding) return {0.0};
  const double step = std::max(1.0, part - overlap);
  const int steps = static_cast<int>(std::ceil((whole - part - rounding) / step));
  std::vector<double> all;
  for (int i = 0; i <= steps; ++i) all.push_back((whole - part) * i / steps);
  return all;
}

// The shrink is the least one down to row `a`, and the greatest one from row `b` on.
struct Bends {
  double a = 0.0, b = 0.0;            // rows of the picture
  double shrink_a = 1.0;              // at row a
  double rows_a = 0.0, rows_b = 0.0;  // of the input, above them
};

// REQUIRES: a slope above 0.
Bends bends_of(const SliceGeometry& geometry) {
  const auto row_of = [&](double shrink) {
    return geometry.picture_height / 2.0 + (shrink - geometry.shrink) / geometry.slope;
  };
  Bends bends;
  bends.a = std::max(0.0, row_of(geometry.min_shrink));
  bends.b = std::max(bends.a, row_of(geometry.max_shrink));
  bends.shrink_a = shrink_at(geometry, bends.a);
  bends.rows_a = bends.a / geometry.min_shrink;
  const double growth = geometry.slope * (bends.b - bends.a) / bends.shrink_a;
  bends.rows_b = bends.rows_a + std::log1p(growth) / geometry.slope;
  return bends;
}

}  // namespace

double shrink_at(const SliceGeometry& geometry, double y) {
  const double linear = geometry.shrink + geometry.slope * (y - geometry.picture_height / 2.0);
  return std::clamp(linear, geometry.min_shrink, geometry.max_shrink);
}

double input_rows(const SliceGeometry& geometry, double y) {
  if (geometry.slope <= 0.0) return y / shrink_at(geometry, y);
  const Bends bends = bends_of(geometry);
  if (y <= bends.a) return y / geometry.min_shrink;
  if (y > bends.b) return bends.rows_b + (y - bends.b) / geometry.max_shrink;
  const double growth = geometry.slope * (y - bends.a) / bends.shrink_a;
  return bends.rows_a + std::log1p(growth) / geometry.slope;
}

double picture_row(const SliceGeometry& geometry, double rows) {
  if (geometry.slope <= 0.0) return rows * shrink_at(geometry, 0.0);
  const Bends bends = bends_of(geometry);
  if (rows <= bends.rows_a) return rows * geometry.min_shrink;
  if (rows > bends.rows_b) return bends.b + (rows - bends.rows_b) * geometry.max_shrink;
  const double growth = std::expm1(geometry.slope * (rows - bends.rows_a));
  return bends.a + bends.shrink_a * growth / geometry.slope;
}

double shrink_of(const PictureSlice& slice, const SliceGeometry& geometry) {
  return slice.height /
         (input_rows(geometry, slice.y + slice.height) - input_rows(geometry, slice.y));
}

PictureSlice slice_below(const SliceGeometry& geometry, double rows) {
  const double whole = input_rows(geometry, geometry.picture_height);
  const double last = std::max(0.0, whole - geometry.input_height);
  const double first = std::min(rows, last);
  const double above = picture_row(geometry, first);
  const double reach = std::min<double>(geometry.input_height, whole);
  const double shrink = (picture_row(geometry, first + reach) - above) / reach;
  const int height = length(geometry.picture_height, geometry.input_height, shrink);
  const int room = geometry.picture_height - height;
  const int y = first < last ? std::min(room, static_cast<int>(std::lround(above))) : room;
  return {0, y, length(geometry.picture_width, geometry.input_width, shrink), height};
}

double whole_shrink(const SliceGeometry& geometry) {
  return std::max(static_cast<double>(geometry.picture_width) / geometry.input_width,
                  static_cast<double>(geometry.picture_height) / geometry.input_height);
}

std::vector<PictureSlice> full_cover(const SliceGeometry& geometry) {
  const double rows = input_rows(geometry, geometry.picture_height);
  std::vector<PictureSlice> all;
  for (const double start : starts(rows, geometry.input_height, slice_overlap)) {
    PictureSlice slice = slice_below(geometry, start);
    const double overlap = slice_overlap * shrink_of(slice, geometry);
    for (const double x : starts(geometry.picture_width, slice.width, overlap)) {
      slice.x = static_cast<int>(x);
      all.push_back(slice);
    }
  }
  return all;
}

PixelBox inner_part(const PictureSlice& slice, const SliceGeometry& geometry) {
  const double margin = slice_margin * shrink_of(slice, geometry);
  const double first = input_rows(geometry, slice.y);
  const double end = input_rows(geometry, slice.y + slice.height);
  const bool ends_right = slice.x + slice.width >= geometry.picture_width;
  const bool ends_below = slice.y + slice.height >= geometry.picture_height;
  const double left = slice.x > 0 ? slice.x + margin : 0.0;
  const double top = slice.y > 0 ? picture_row(geometry, first + slice_margin) : 0.0;
  const double right = slice.x + slice.width - (ends_right ? 0.0 : margin);
  const double bottom = picture_row(geometry, end - (ends_below ? 0.0 : slice_margin));
  return {left, top, std::max(0.0, right - left), std::max(0.0, bottom - top)};
}

bool is_cut(const PixelBox& box, const PictureSlice& slice, const SliceGeometry& geometry) {
  const double near = touching * shrink_of(slice, geometry);
  const int right = slice.x + slice.width, bottom = slice.y + slice.height;
  return (slice.x > 0 && box.x < slice.x + near) || (slice.y > 0 && box.y < slice.y + near) ||
         (right < geometry.picture_width && box.right() > right - near) ||
         (bottom < geometry.picture_height && box.bottom() > bottom - near);
}

}  // namespace shingle::drone

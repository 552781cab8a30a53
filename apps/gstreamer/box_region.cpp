#include "apps/gstreamer/box_region.hpp"

#include <shingle/shingle.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle::gst {
namespace {

struct Span {
  uint32_t begin = 0, length = 1;
  double least = 0.0, most = 0.0;  // shares of the side
};

double within(float edge, int32_t side) {
  return std::isnan(edge) ? 0.0 : std::clamp(double{edge}, 0.0, static_cast<double>(side));
}

Span span_of(float from, float to, int32_t side) {
  const double first = within(from, side), last = std::max(first, within(to, side));
  const auto begin = std::min(static_cast<int32_t>(std::floor(first)), side - 1);
  const auto end = std::max(static_cast<int32_t>(std::ceil(last)), begin + 1);
  return {.begin = static_cast<uint32_t>(begin),
          .length = static_cast<uint32_t>(end - begin),
          .least = first / side,
          .most = last / side};
}

}  // namespace

BoxRegion region_of(const shingle_box& box, PictureSides picture) {
  assert(picture.width >= 1 && picture.height >= 1);
  const Span across = span_of(box.x0, box.x1, picture.width);
  const Span down = span_of(box.y0, box.y1, picture.height);
  return {.x = across.begin,
          .y = down.begin,
          .width = across.length,
          .height = down.length,
          .x_min = across.least,
          .x_max = across.most,
          .y_min = down.least,
          .y_max = down.most};
}

}  // namespace shingle::gst

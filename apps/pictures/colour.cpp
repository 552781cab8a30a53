#include "apps/pictures/colour.hpp"

#include <cassert>
#include <utility>

namespace shingle {
namespace {

constexpr int luma_bits = 15;
constexpr uint32_t of_red = 9798, of_green = 19235, of_blue = 3735;  // of 1 << luma_bits
static_assert(of_red + of_green + of_blue == 1U << luma_bits);

}  // namespace

Bitmap in_grey(const PictureView& picture) {
  assert(picture.channels == 3);
  const bool has_blue_first = picture.order == ColourOrder::bgr;
  const uint32_t first = has_blue_first ? of_blue : of_red;
  const uint32_t third = has_blue_first ? of_red : of_blue;
  Bitmap grey = black_bitmap(picture.size, 1);
  const PictureSpan target = span_of(grey);
  for (int32_t y = 0; y < picture.size.height; ++y) {
    const uint8_t* from = picture.row(y);
    uint8_t* to = target.row(y);
    for (int32_t x = 0; x < picture.size.width; ++x) {
      const uint32_t sum =
          from[3 * x] * first + from[3 * x + 1] * of_green + from[3 * x + 2] * third;
      to[x] = static_cast<uint8_t>((sum + (1U << (luma_bits - 1))) >> luma_bits);
    }
  }
  return grey;
}

void swap_red_and_blue(const PictureSpan& picture) {
  assert(picture.channels == 3);
  for (int32_t y = 0; y < picture.size.height; ++y) {
    uint8_t* row = picture.row(y);
    for (int32_t x = 0; x < picture.size.width; ++x) std::swap(row[3 * x], row[3 * x + 2]);
  }
}

void repeat_channel(const PictureView& grey, const PictureSpan& target) {
  assert(grey.channels == 1 && target.channels == 3 && grey.size == target.size);
  for (int32_t y = 0; y < grey.size.height; ++y) {
    const uint8_t* from = grey.row(y);
    uint8_t* to = target.row(y);
    for (int32_t x = 0; x < grey.size.width; ++x)
      to[3 * x] = to[3 * x + 1] = to[3 * x + 2] = from[x];
  }
}

}  // namespace shingle

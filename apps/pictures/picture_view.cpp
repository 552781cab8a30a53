#include "apps/pictures/picture_view.hpp"

#include <cassert>

namespace shingle {
namespace {

bool lies_in(const PixelRect& part, PixelSize whole) {
  return part.x >= 0 && part.y >= 0 && part.size.width >= 0 && part.size.height >= 0 &&
         part.x <= whole.width - part.size.width && part.y <= whole.height - part.size.height;
}

template <class Picture>
Picture cut(Picture picture, const PixelRect& part) {
  assert(lies_in(part, picture.size));
  picture.pixels = picture.row(part.y) + ptrdiff_t{part.x} * picture.channels;
  picture.size = part.size;
  return picture;
}

}  // namespace

int64_t area_of(PixelSize size) { return int64_t{size.width} * size.height; }

PictureView part_of(const PictureView& picture, const PixelRect& part) {
  return cut(picture, part);
}
PictureSpan part_of(const PictureSpan& picture, const PixelRect& part) {
  return cut(picture, part);
}

Bitmap black_bitmap(PixelSize size, int32_t channels) {
  assert(size.width >= 0 && size.height >= 0 && (channels == 1 || channels == 3));
  return {size, channels, std::vector<uint8_t>(static_cast<size_t>(area_of(size) * channels))};
}

PictureView view_of(const Bitmap& bitmap) {
  return {.pixels = bitmap.bytes.data(),
          .size = bitmap.size,
          .channels = bitmap.channels,
          .row_bytes = ptrdiff_t{bitmap.size.width} * bitmap.channels};
}

PictureSpan span_of(Bitmap& bitmap) {
  return {.pixels = bitmap.bytes.data(),
          .size = bitmap.size,
          .channels = bitmap.channels,
          .row_bytes = ptrdiff_t{bitmap.size.width} * bitmap.channels};
}

}  // namespace shingle

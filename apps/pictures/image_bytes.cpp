#include "apps/pictures/image_bytes.hpp"

#include <cassert>

#include "apps/pictures/colour.hpp"
#include "apps/pictures/placement.hpp"
#include "apps/pictures/scale.hpp"

namespace shingle {

std::vector<std::byte> image_bytes(const PictureView& picture, const Preparation& preparation,
                                   Shape input) {
  assert(area_of(picture.size) > 0 && (input.c == 1 || input.c == 3));
  std::vector<std::byte> bytes(static_cast<size_t>(input.elements()), std::byte{preparation.fill});
  const PictureSpan whole{.pixels = reinterpret_cast<uint8_t*>(bytes.data()),
                          .size = {input.w, input.h},
                          .channels = input.c,
                          .row_bytes = ptrdiff_t{input.w} * input.c};
  const PictureSpan target = part_of(whole, covered(preparation.fit, picture.size, input));
  const PictureView source = part_of(picture, kept(preparation.fit, picture.size, input));
  if (source.channels == input.c) {
    scale_bilinear(source, target);
    if (input.c == 3 && source.order != preparation.colour) swap_red_and_blue(target);
  } else if (input.c == 1) {
    scale_bilinear(view_of(in_grey(source)), target);
  } else {
    Bitmap grey = black_bitmap(target.size, 1);
    scale_bilinear(source, span_of(grey));
    repeat_channel(view_of(grey), target);
  }
  return bytes;
}

}  // namespace shingle

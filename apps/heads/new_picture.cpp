#include "apps/heads/new_picture.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle {
namespace {

uint8_t pixel_of(float value) {
  return std::isnan(value) ? uint8_t{0}
                           : static_cast<uint8_t>(std::clamp(value, 0.0F, 255.0F) + 0.5F);
}

// The part of planes of this size that shows the picture.
PixelRect shown(PixelSize planes, const Placement& placement, Shape input, PixelSize picture) {
  const auto along = [](double at, int32_t input_size, int32_t size) {
    return static_cast<int32_t>(
        std::clamp(std::nearbyint(at / input_size * size), 0.0, double(size)));
  };
  const int32_t left = along(placement.left, input.w, planes.width);
  const int32_t top = along(placement.top, input.h, planes.height);
  const int32_t right =
      along(placement.left + picture.width * placement.scale_x, input.w, planes.width);
  const int32_t bottom =
      along(placement.top + picture.height * placement.scale_y, input.h, planes.height);
  return {left, top, {std::max(right - left, 1), std::max(bottom - top, 1)}};
}

}  // namespace

Bitmap new_picture(const Planes& planes, const Preparation& preparation, Shape input,
                   PixelSize picture) {
  const auto h = static_cast<size_t>(planes.shape.h), w = static_cast<size_t>(planes.shape.w);
  const auto channels = static_cast<size_t>(planes.shape.c);
  assert((channels == 1 || channels == 3) && planes.values.size() == channels * h * w);
  const PixelSize size{planes.shape.w, planes.shape.h};
  PixelRect part = shown(size, place(preparation.fit, picture, input), input, picture);
  part.size.width = std::min(part.size.width, size.width - part.x);
  part.size.height = std::min(part.size.height, size.height - part.y);
  Bitmap image = black_bitmap(part.size, planes.shape.c);
  auto pixel = image.bytes.begin();
  for (size_t y = 0; y < static_cast<size_t>(part.size.height); ++y)
    for (size_t x = 0; x < static_cast<size_t>(part.size.width); ++x)
      for (size_t i = 0; i < channels; ++i) {
        const bool turned = channels == 3 && preparation.colour == ColourOrder::rgb;
        const size_t c = turned ? 2 - i : i;
        const size_t at =
            (c * h + y + static_cast<size_t>(part.y)) * w + x + static_cast<size_t>(part.x);
        *pixel++ = pixel_of(planes.values[at] * preparation.deviation[c] + preparation.mean[c]);
      }
  return image;
}

}  // namespace shingle

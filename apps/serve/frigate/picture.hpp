// The tensor that Frigate sends, read as the picture that it was made of. Pure.
//
//   dtype     layout                      values
//   uint8     1 x H x W x 3 or 1 x 3 x H x W   0 to 255
//   float32   the same                    `unit`: 0 to 1, in steps of 1/255; `pixels`: 0 to 255
#pragma once

#include <span>

#include "apps/serve/frigate/header.hpp"
#include "apps/serve/models/rgb_picture.hpp"

namespace shingle::serve {

struct FrigatePixels {
  bool floats_are_pixels = false;  // 0 to 255 instead of 0 to 1
  bool is_bgr = false;
};

struct PictureSize {
  int32_t width = 0, height = 0;
  friend bool operator==(const PictureSize&, const PictureSize&) = default;
};

// `size`: that the model takes. The sentence says what of the tensor is no such picture.
Result<RgbPicture> read_frigate_picture(const TensorSent& tensor, std::span<const std::byte> bytes,
                                        PictureSize size, const FrigatePixels& pixels);

}  // namespace shingle::serve

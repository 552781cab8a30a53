// From a network's planes to a picture: the way back from what image_bytes.hpp and take_picture.hpp
// describe.
#pragma once

#include "apps/heads/head.hpp"

namespace shingle {

// The planes, of 1 or 3 channels, as 8-bit pixels: v means v * deviation + mean, rounded and
// clamped; what is no number is 0. `planes` lie over the whole input, of which the part that shows
// the picture is kept.
Bitmap new_picture(const Planes& planes, const Preparation& preparation, Shape input,
                   PixelSize picture);

}  // namespace shingle

// Colours: between grey and three channels, between BGR and RGB.
#pragma once

#include "apps/pictures/picture_view.hpp"

namespace shingle {

// Luma of ITU-R BT.601, (9798 R + 19235 G + 3735 B) / 32768 rounded to the nearest, as OpenCV's.
// REQUIRES: three channels.
Bitmap in_grey(const PictureView& picture);

// REQUIRES: three channels.
void swap_red_and_blue(const PictureSpan& picture);

// Three equal channels. REQUIRES: `grey` has one, `target` three, and they have one size.
void repeat_channel(const PictureView& grey, const PictureSpan& target);

}  // namespace shingle

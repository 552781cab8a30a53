// From a picture to a model's input, once, in uint8: scaled straight to the input's size, so frames
// travel as bytes; the step to float is the model's own first layer (take_image).
#pragma once

#include <cstddef>
#include <vector>

#include "apps/models/take_picture.hpp"
#include "apps/pictures/picture_view.hpp"

namespace shingle {

// The bytes are `input` in (y, x, c) order, where placement.hpp says, scaled by scale_bilinear();
// grey for one channel; of a grey picture, three equal channels. REQUIRES: input.c is 1 or 3; the
// picture is not empty.
std::vector<std::byte> image_bytes(const PictureView& picture, const Preparation& preparation,
                                   Shape input);

}  // namespace shingle

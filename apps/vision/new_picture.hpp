// From a network's planes to a picture: the way back from what picture.hpp and take_picture.hpp
// describe.
#pragma once

#include "apps/vision/head.hpp"

namespace shingle {

// The planes, of 1 or 3 channels, as 8-bit pixels: v means v * deviation + mean, rounded and
// clamped; what is no number is 0. `planes` lie over the whole input, of which the part that shows
// the picture is kept.
cv::Mat new_picture(const Planes& planes, const Preparation& preparation, Shape input,
                    cv::Size picture);

// The colours that belong to it: its own, or, of a grey one, those of the picture that it was made
// from. 8-bit BGR of the size of `made`.
cv::Mat in_colour(const cv::Mat& made, const cv::Mat& picture);

}  // namespace shingle

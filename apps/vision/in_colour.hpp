// The colours of a picture that a model made.
#pragma once

#include <opencv2/core.hpp>

namespace shingle {

// Its own, or, of a grey one, those of the picture that it was made from. 8-bit BGR of the size of
// `made`.
cv::Mat in_colour(const cv::Mat& made, const cv::Mat& picture);

}  // namespace shingle

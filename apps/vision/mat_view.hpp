// Between OpenCV's pictures and ours.
#pragma once

#include <opencv2/core.hpp>

#include "apps/pictures/picture_view.hpp"

namespace shingle {

PixelSize size_of(const cv::Mat& picture);

// REQUIRES: 8 bits; grey or BGR. The picture must outlive the view.
PictureView view_of(const cv::Mat& picture);

cv::Mat mat_of(const Bitmap& bitmap);  // with pixels of its own

}  // namespace shingle

#include "apps/vision/mat_view.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

PixelSize size_of(const cv::Mat& picture) { return {picture.cols, picture.rows}; }

PictureView view_of(const cv::Mat& picture) {
  assert(picture.type() == CV_8UC3 || picture.type() == CV_8UC1);
  return {.pixels = picture.data,
          .size = size_of(picture),
          .channels = picture.channels(),
          .row_bytes = static_cast<ptrdiff_t>(picture.step[0])};
}

cv::Mat mat_of(const Bitmap& bitmap) {
  cv::Mat mat(bitmap.size.height, bitmap.size.width, bitmap.channels == 1 ? CV_8UC1 : CV_8UC3);
  std::copy(bitmap.bytes.begin(), bitmap.bytes.end(), mat.data);
  return mat;
}

}  // namespace shingle

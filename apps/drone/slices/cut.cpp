#include "apps/drone/slices/cut.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "apps/vision/mat_view.hpp"

namespace shingle::drone {
namespace {

cv::Mat resized(const cv::Mat& picture, cv::Size size) {
  if (picture.size() == size) return picture;
  const bool shrinks = size.width <= picture.cols && size.height <= picture.rows;
  cv::Mat result;
  cv::resize(picture, result, size, 0.0, 0.0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
  return result;
}

int shrunk(int length, double shrink, int most) {
  return std::clamp(static_cast<int>(std::lround(length / shrink)), 1, most);
}

}  // namespace

CutImage cut_out(const cv::Mat& picture, const PictureSlice& slice, const SliceGeometry& geometry,
                 uint8_t fill) {
  assert(picture.cols == geometry.picture_width && picture.rows == geometry.picture_height);
  const cv::Mat part = picture(cv::Rect(slice.x, slice.y, slice.width, slice.height));
  const double shrink = shrink_of(slice, geometry);
  const cv::Size size(shrunk(slice.width, shrink, geometry.input_width),
                      shrunk(slice.height, shrink, geometry.input_height));
  CutImage cut{.image = cv::Mat(geometry.input_height, geometry.input_width, picture.type(),
                                cv::Scalar::all(fill)),
               .left = static_cast<double>(slice.x),
               .top = static_cast<double>(slice.y),
               .scale_x = static_cast<double>(slice.width) / size.width,
               .scale_y = static_cast<double>(slice.height) / size.height};
  resized(part, size).copyTo(cut.image(cv::Rect(cv::Point(0, 0), size)));
  return cut;
}

CutImage whole_picture(const cv::Mat& picture, Fit fit, Shape input) {
  const Placement placement = place(fit, size_of(picture), input);
  const auto length = [](int side, double scale) {
    return scale >= 1.0 ? side : std::max(1, static_cast<int>(std::lround(side * scale)));
  };
  const cv::Size size(length(picture.cols, placement.scale_x),
                      length(picture.rows, placement.scale_y));
  return {.image = resized(picture, size),
          .scale_x = static_cast<double>(picture.cols) / size.width,
          .scale_y = static_cast<double>(picture.rows) / size.height};
}

Box in_picture(const Box& box, const CutImage& from) {
  return {static_cast<float>(box.x * from.scale_x + from.left),
          static_cast<float>(box.y * from.scale_y + from.top),
          static_cast<float>(box.w * from.scale_x), static_cast<float>(box.h * from.scale_y)};
}

}  // namespace shingle::drone

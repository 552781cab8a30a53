// Inputs of a model cut out of a picture, shrunk by area: each pixel of the input is the mean of
// the pixels that it covers. (Bilinear shrinking by more than two skips pixels, and small vehicles
// break up.)
#pragma once

#include <opencv2/core.hpp>

#include "apps/drone/slices/slice.hpp"
#include "apps/findings/finding.hpp"

namespace shingle::drone {

// An image for a model, and where its pixels lie in the picture: x * scale_x + left.
struct CutImage {
  cv::Mat image{};
  double left = 0.0, top = 0.0, scale_x = 1.0, scale_y = 1.0;
};

// Of the size of the model's input; `fill` where the picture ends. `picture` is 8-bit BGR, of the
// geometry's size.
CutImage cut_out(const cv::Mat& picture, const PictureSlice& slice, const SliceGeometry& geometry,
                 uint8_t fill);

// The whole picture, as large as the input shows it; not enlarged.
CutImage whole_picture(const cv::Mat& picture, Fit fit, Shape input);

// From the image to the picture.
Box in_picture(const Box& box, const CutImage& from);

}  // namespace shingle::drone

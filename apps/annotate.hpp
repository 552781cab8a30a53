// Annotation: boxes with names and scores drawn into a picture.
#pragma once

#include <opencv2/core.hpp>
#include <span>

#include "apps/detection.hpp"

namespace shingle {

void annotate(cv::Mat& picture, std::span<const Detection> detections);

}  // namespace shingle

// Rendered clips: boxes and discs that move over a textured ground. The same pictures everywhere.
#pragma once

#include <opencv2/core.hpp>
#include <string>

#include "partition/base/result.hpp"

namespace shingle::clips {

cv::Mat picture(int frame, cv::Size size);  // 8-bit BGR

// Writes a video of so many frames.
Status render(const std::string& path, int frames, cv::Size size, double frames_per_second);

}  // namespace shingle::clips

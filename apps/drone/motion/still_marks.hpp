// Marks that are burnt into the pictures (clocks, coordinates, cross-hairs): edges that stay where
// they are while everything else moves. Points on them would say that the camera stands still.
#pragma once

#include <opencv2/core.hpp>

namespace shingle::drone {

class StillMarks {
 public:
  // Two pictures one after the other, 8-bit grey, of one size, between which the picture moved by
  // about `moved` pixels. Pictures that hardly moved tell nothing.
  void see(const cv::Mat& before, const cv::Mat& now, double moved);

  // 255 where points may lie, 0 at marks and a few pixels around them. Where marks would cover more
  // than 30 % of the picture nothing is masked: such a scene has its edges along the motion.
  cv::Mat allowed(cv::Size size) const;

 private:
  cv::Mat counts_{};  // 8-bit: in how many moved pictures, one after the other, an edge stayed
};

}  // namespace shingle::drone

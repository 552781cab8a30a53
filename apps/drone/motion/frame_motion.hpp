// The camera's motion between frames that are looked at, out of pictures of which some are not.
#pragma once

#include "apps/drone/motion/motion_finder.hpp"

namespace shingle::drone {

class FrameMotion {
 public:
  void see(const PictureMotion& motion);  // of each picture in turn

  // Since the last call. By the key frames, where both are known: so errors do not add up from
  // frame to frame. None: unknown on the way, or this is the first call.
  std::optional<Homography> take();

 private:
  std::optional<Homography> since_ = Homography(Homography::Identity());
  PictureMotion last_{}, taken_{};
  bool is_first_ = true;
};

}  // namespace shingle::drone

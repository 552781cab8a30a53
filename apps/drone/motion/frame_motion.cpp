#include "apps/drone/motion/frame_motion.hpp"

namespace shingle::drone {

void FrameMotion::see(const PictureMotion& motion) {
  last_ = motion;
  if (!motion.from_previous)
    since_.reset();
  else if (since_)
    since_ = *motion.from_previous * *since_;
}

std::optional<Homography> FrameMotion::take() {
  std::optional<Homography> result = since_;
  if (taken_.to_first && last_.to_first && taken_.first == last_.first)
    result = inverse_of(*last_.to_first) * *taken_.to_first;
  if (is_first_) result.reset();
  // Where it is unknown nobody moved: the next answer leads from the last place that was told.
  if (result || is_first_) taken_ = last_;
  is_first_ = false;
  since_ = Homography(Homography::Identity());
  return result;
}

}  // namespace shingle::drone

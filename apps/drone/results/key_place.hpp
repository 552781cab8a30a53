// Where a box lies in a run's key frame.
#pragma once

#include <optional>

#include "apps/drone/count/geometry.hpp"
#include "apps/drone/track/camera_motion.hpp"

namespace shingle::drone {

// The middle of a box of some frame. `to_key`: pixels of that frame -> pixels of the key frame.
// None: the way is unknown, or leads this box nowhere.
inline std::optional<PlanePoint> middle_in_key_frame(const PixelBox& box,
                                                     const std::optional<Homography>& to_key) {
  if (!to_key || !can_move(*to_key, box)) return std::nullopt;
  const PixelBox key = moved(box, *to_key);
  return PlanePoint{key.x + key.w / 2.0, key.y + key.h / 2.0};
}

}  // namespace shingle::drone

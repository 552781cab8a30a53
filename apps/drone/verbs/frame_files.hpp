// What may be known of a video's frames beside their boxes: when they were, how the camera moved.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "apps/drone/track/camera_motion.hpp"
#include "partition/base/result.hpp"

namespace shingle::drone {

// Lines "frame,seconds": stream time, growing with the frame's number. Frames that are not listed
// were not looked at.
Result<std::map<uint32_t, double>> read_times(const std::string& path);

// Lines "frame,a,b,c,d,e,f" (affine) or with three numbers more (a homography), row by row: from
// pixels of the frame before that was looked at to pixels of this one. Frames that are not listed
// stood still.
Result<std::map<uint32_t, Homography>> read_camera_motion(const std::string& path);

}  // namespace shingle::drone

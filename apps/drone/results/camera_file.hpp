// camera.toml: a calibrated lens, as OpenCV's calibrateCamera gives it.
//
//   width = 3840                      # of the pictures that it was calibrated with, pixels
//   height = 2160
//   focal = 2741.2                    # pixels, or [x, y]
//   centre = [1921.4, 1078.9]         # pixels; default: the picture's middle
//   distortion = [k1, k2, p1, p2, k3] # OpenCV's order; k3 may be left out; default: none
//
// or, in place of focal and centre,
//   matrix = [fx, 0, cx, 0, fy, cy, 0, 0, 1]
#pragma once

#include <string>
#include <string_view>

#include "apps/drone/ground/camera.hpp"

namespace shingle::drone {

// Errors name file and line: keys that are not known, numbers that are none or no lens's, a fisheye
// (its formula is another one).
Result<Camera> parse_camera(std::string_view text, const std::string& file);
Result<Camera> load_camera(const std::string& path);

}  // namespace shingle::drone

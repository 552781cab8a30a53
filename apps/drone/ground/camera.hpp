// A camera without its pose: a pinhole with lens distortion.
//
//   pixel (x right, y down; 0,0 is the corner of the first pixel)
//      <->  place on the plane z = 1 of the camera's frame (x right, y down, z forward)
//
// The distortion is Brown's as OpenCV's five coefficients have it (calib3d, "Detailed
// Description"):
//   r2 = x^2 + y^2, radial = 1 + k1 r2 + k2 r2^2 + k3 r2^3
//   x' = x radial + 2 p1 x y + p2 (r2 + 2 x^2),   y' = y radial + p1 (r2 + 2 y^2) + 2 p2 x y
#pragma once

#include <Eigen/Core>
#include <optional>

#include "partition/base/result.hpp"

namespace shingle::drone {

struct LensDistortion {
  double k1 = 0.0, k2 = 0.0, p1 = 0.0, p2 = 0.0, k3 = 0.0;
  bool operator==(const LensDistortion&) const = default;
};

struct Camera {
  double width = 0.0, height = 0.0;       // pixels
  double focal_x = 0.0, focal_y = 0.0;    // pixels
  double centre_x = 0.0, centre_y = 0.0;  // pixels
  LensDistortion distortion{};
};

// A film of 36 mm is as wide as the picture, which is how DJI's logs count `focal_len`. Errors: a
// size or focal length that is not positive.
Result<Camera> camera_of_equivalent_focal(double width, double height, double focal_mm);
// Square pixels without a vertical angle. Angles in radians, within (0, pi).
Result<Camera> camera_of_field_of_view(double width, double height, double horizontal,
                                       double vertical = 0.0);

// The place on z = 1 that the pixel shows, by Newton's method in bounded steps. None: the formula
// has no place for this pixel on this side of where it folds over.
std::optional<Eigen::Vector2d> undistorted(const Camera& camera, const Eigen::Vector2d& pixel);
Eigen::Vector2d distorted(const Camera& camera, const Eigen::Vector2d& place);

// Do all pixels have a place? False: the distortion's numbers are not this lens's.
bool shows_whole_picture(const Camera& camera);

// The same lens in pictures of another size, all of the same view. REQUIRES: positive sizes.
Camera resized(const Camera& camera, double width, double height);

}  // namespace shingle::drone

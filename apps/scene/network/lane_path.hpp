// LanePath: the line that the middle of a vehicle's front follows, and what is built along it.
// Metres, x to the east, y to the north; headings in radians from x towards y, so left of a path is
// +90 degrees.
#pragma once

#include "apps/scene/vehicle.hpp"

namespace shingle {

struct LanePath {
  Outline points;        // evenly spaced along the path, at least two
  double spacing = 0.5;  // metres between neighbours
};

inline double length_of(const LanePath& path) {
  return path.spacing * static_cast<double>(path.points.size() - 1);
}

// Through all corners in straight lines. REQUIRES: at least two, the first and the last apart.
LanePath path_through(const Outline& corners);
// A cubic curve from one pose to the other, leaving and arriving along their headings.
LanePath path_between(const Pose& from, const Pose& to);
// Part of a circle, counterclockwise from `begin` to `end`. REQUIRES: begin < end, in radians.
LanePath arc_around(cv::Point2d centre, double radius, double begin, double end);

// `left` metres to the left of the path. REQUIRES: no bend is sharper than that.
LanePath beside(const LanePath& path, double left);
LanePath reversed(const LanePath& path);
LanePath part_of(const LanePath& path, double begin, double end);  // clamped to the path

// REQUIRES: 0 <= s <= length_of(path). The heading turns evenly from point to point.
Pose pose_on(const LanePath& path, double s);
inline Pose begin_of(const LanePath& path) { return pose_on(path, 0.0); }
inline Pose end_of(const LanePath& path) { return pose_on(path, length_of(path)); }

double least_radius(const LanePath& path);  // metres; large for a straight one
double least_distance(const LanePath& a, const LanePath& b);

// The outline of what lies between `right` and `left` metres to the left of the path.
Outline band_along(const LanePath& path, double right, double left);

}  // namespace shingle

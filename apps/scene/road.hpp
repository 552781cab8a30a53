// Roads of a scene: an axis, lanes to both sides of it, and positions along them.
//
//            d < 0   <- backward lanes
//   s -> - - - - - - - - - - - - - - - - - axis (median around it)
//            d > 0   -> forward lanes
#pragma once

#include "apps/scene/vehicle.hpp"

namespace shingle {

struct Road {
  Outline axis;                                                           // a point every metre
  int lanes = 2;                                                          // each way
  double lane_width = 3.3, median = 0.0, shoulder = 0.4, sidewalk = 2.5;  // widths in metres
  double parking_left = 0.0, parking_right = 0.0;  // strips for cars along the kerb
  double level = 0.0;                              // metres above the ground: a bridge
  double asphalt = 105.0, mark = 215.0;            // grey levels
};

// From one end to the other, its middle off the straight line by `bow` metres.
Outline bent_axis(cv::Point2d from, cv::Point2d to, double bow);

double length_of(const Road& road);
double half_width(const Road& road);        // axis to the end of the shoulder
double kerb(const Road& road, bool right);  // axis to the kerb, parking strip included
double lane_offset(const Road& road, int lane, bool forward_lane);  // d of the lane's middle

// REQUIRES: 0 <= s <= length_of(road). Heading along the road.
Pose pose_at(const Road& road, double s, double d);
// The middle of a lane; backward lanes are driven against s.
Pose lane_pose(const Road& road, double s, int lane, bool forward_lane);

// The outline of what lies between d0 and d1 from s0 to s1 (clamped to the road).
Outline strip(const Road& road, double s0, double s1, double d0, double d1);

bool on_road(const Road& road, cv::Point2d point, double margin);  // kerb to kerb and `margin`

}  // namespace shingle

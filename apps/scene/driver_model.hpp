// How a driver accelerates: the intelligent driver model (Treiber, Hennecke, Helbing 2000,
// equations 2 and 3) with its usual constants for town traffic.
#pragma once

namespace shingle {

struct FollowedVehicle {
  double gap = 1e9;    // metres from the front of the follower to its rear
  double speed = 0.0;  // metres per second
};

inline constexpr double standstill_gap = 2.0;  // metres

// Metres per second squared. REQUIRES: desired > 0.
double chosen_acceleration(double speed, double desired, const FollowedVehicle& leader);

}  // namespace shingle

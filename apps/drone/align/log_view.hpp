// What a camera showed by its flight log: camera, pose and ground in local metres, from one moment
// of telemetry.
#pragma once

#include <optional>

#include "apps/drone/ground/local_frame.hpp"
#include "apps/drone/ground/pose.hpp"
#include "apps/drone/logs/flight.hpp"

namespace shingle::drone {

// What the log may lack.
struct ViewOptions {
  double width = 0.0, height = 0.0;       // of the picture, pixels
  std::optional<Camera> camera{};         // calibrated; the same lens, whatever the log says
  std::optional<double> focal_35mm{};     // mm; otherwise the log's field of view
  std::optional<double> gimbal_pitch{};   // degrees, for logs without the camera's angles; none:
                                          // the camera looks straight down
  std::optional<double> ground_height{};  // m, as the log counts: above take-off, else above sea
};

struct LogView {
  Camera camera{};
  CameraPose pose{};
  double ground = 0.0;  // local metres, up
};

// Heights are those above take-off, where the log has them, and the ground is at 0. With heights
// above sea level alone the ground is what the log says of the picture's centre.
// Errors name what is missing and the option that gives it.
Result<LogView> view_of(const Telemetry& moment, const LocalFrame& frame,
                        const ViewOptions& options);

// At the first position of the flight. Error: no sample has one.
Result<LocalFrame> local_frame_of(const Flight& flight);

// Pixels of one view -> pixels of the other, by the ground that both show. None: a corner of the
// first one shows no ground, or the other one looks away from it.
std::optional<Eigen::Matrix3d> motion_between(const LogView& from, const LogView& to);

}  // namespace shingle::drone

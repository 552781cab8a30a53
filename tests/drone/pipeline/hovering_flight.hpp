// A drone that hovers, and the box of a car below it.
#pragma once

#include "apps/drone/pipeline/ground_reader.hpp"

namespace shingle::drone {

inline constexpr double log_rate = 10.0;  // moments a second
inline const ViewOptions full_hd{.width = 1920.0, .height = 1080.0};

// 100 m above ground, straight down, north is up: 150 m are 1920 pixels on the ground.
inline Flight hovering(double seconds) {
  Flight flight{.name = "hover.csv", .time = LogTime::own, .end_seconds = seconds};
  for (int i = 0; i <= seconds * log_rate; ++i) {
    Telemetry moment;
    moment.line = static_cast<size_t>(i) + 1;
    moment.seconds = i / log_rate;
    moment.latitude = 48.0;
    moment.longitude = 11.0;
    moment.height = 100.0;
    moment.gimbal_yaw = 0.0;
    moment.gimbal_pitch = -90.0;
    moment.focal_35mm = 24.0;
    flight.samples.push_back(moment);
  }
  return flight;
}

// A car's box whose middle is so many metres east of the picture's middle, at half its height.
inline TrackedBox car_at(double east) {
  const double pixels_per_metre = 1920.0 / 150.0 * 100.0 / (100.0 - 0.75);
  const double x = 960.0 + east * pixels_per_metre;
  return {.id = 3, .box = {x - 28.0, 540.0 - 12.0, 56.0, 24.0}, .score = 0.9, .class_id = 2};
}

}  // namespace shingle::drone

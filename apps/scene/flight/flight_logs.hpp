// The logs that a drone would write beside a clip, of what is told: a function of the flight alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/scene/flight/scene_flight.hpp"

namespace shingle {

// What a log says of one frame. Angles in degrees.
struct LoggedFrame {
  uint32_t number = 0;   // from 0 on
  double seconds = 0.0;  // of the video
  double utc_seconds = 0.0;
  double latitude = 0.0, longitude = 0.0;
  double height = 0.0, altitude = 0.0;  // metres above the ground, and above the sea
  double yaw = 0.0, pitch = 0.0;        // of the gimbal: from north, and below 0 under the horizon
  double focal_mm = 0.0;                // equivalent
  double horizontal_view = 0.0, vertical_view = 0.0;
  double centre_latitude = 0.0, centre_longitude = 0.0, slant_range = 0.0;
};
LoggedFrame logged_frame(const SceneFlight& flight, const WorldPlace& place, uint32_t frame);

// DJI's subtitles, a cue for each frame, rounded as DJI does: 1e-6 degrees, 0.001 m (a barometer's
// 0.1 m), 0.1 degrees of the gimbal. Local time is two hours ahead of UTC.
std::string dji_srt(const std::vector<LoggedFrame>& frames, double frames_per_second);

// Packets of MISB ST 0601.8, one for each frame, without a transport: time, platform, sensor, frame
// centre, checksum. The platform flies level with the gimbal's yaw.
std::vector<std::byte> misb_klv(const std::vector<LoggedFrame>& frames);

}  // namespace shingle

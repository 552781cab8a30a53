// One sample of a flight log: where the aircraft was and where its camera looked.
//
// Angles are degrees, as logs have them: yaw clockwise from north, pitch above the horizon
// (straight down is -90), roll clockwise as seen from behind. `gimbal_*` is measured from north and
// the horizon, as DJI's gimbals do; `relative_*` from the axes of the body, as MISB ST 0601 does.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace shingle::drone {

struct Telemetry {
  using Known = std::optional<double>;  // none: the log does not say

  size_t line = 0;       // of the text, or the packet's number, from 1 on
  double seconds = 0.0;  // of the video, or since the first sample: Flight says which
  Known clock{};         // seconds since 1970-01-01 00:00, in UTC or local time: Flight says which
  Known latitude{}, longitude{};  // WGS84
  Known height{};                 // m above take-off
  Known altitude{};               // m above sea level, as exact as the log is
  Known gimbal_yaw{}, gimbal_pitch{}, gimbal_roll{};
  Known body_yaw{}, body_pitch{}, body_roll{};
  Known relative_yaw{}, relative_pitch{}, relative_roll{};
  Known focal_length{};                      // mm
  Known focal_35mm{};                        // mm, of a film 36 mm wide, digital zoom included
  Known horizontal_view{}, vertical_view{};  // degrees from border to border
  Known slant_range{};                       // m from the camera to the picture's centre
  Known centre_latitude{}, centre_longitude{},
      centre_altitude{};                    // what the picture's centre shows
  Known home_latitude{}, home_longitude{};  // take-off
};

// A quantity of a sample, for whatever treats all of them alike: text, ranges, interpolation.
struct TelemetryField {
  std::string_view name;  // in tables, CSV and JSON
  Telemetry::Known Telemetry::*value;
  std::string_view unit;           // "deg", "m" or "mm"
  bool is_direction = false;       // 360 degrees are 0
  double least = 0.0, most = 0.0;  // what is possible at all
  int decimals = 0;                // enough for what logs have
};

std::span<const TelemetryField> telemetry_fields();
const TelemetryField* field_named(std::string_view name);  // null: there is none

}  // namespace shingle::drone

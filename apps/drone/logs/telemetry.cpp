#include "apps/drone/logs/telemetry.hpp"

namespace shingle::drone {
namespace {

using T = Telemetry;

constexpr TelemetryField fields[] = {
    {"latitude", &T::latitude, "deg", false, -90, 90, 9},
    {"longitude", &T::longitude, "deg", true, -180, 360, 9},
    {"height", &T::height, "m", false, -2000, 30000, 3},
    {"altitude", &T::altitude, "m", false, -2000, 30000, 3},
    {"gimbal_yaw", &T::gimbal_yaw, "deg", true, -720, 720, 5},
    {"gimbal_pitch", &T::gimbal_pitch, "deg", false, -180, 180, 5},
    {"gimbal_roll", &T::gimbal_roll, "deg", true, -360, 360, 5},
    {"body_yaw", &T::body_yaw, "deg", true, -360, 360, 5},
    {"body_pitch", &T::body_pitch, "deg", false, -180, 180, 5},
    {"body_roll", &T::body_roll, "deg", true, -360, 360, 5},
    {"relative_yaw", &T::relative_yaw, "deg", true, -360, 360, 5},
    {"relative_pitch", &T::relative_pitch, "deg", false, -180, 180, 5},
    {"relative_roll", &T::relative_roll, "deg", true, -360, 360, 5},
    {"focal_length", &T::focal_length, "mm", false, 0.1, 10000, 3},
    {"focal_35mm", &T::focal_35mm, "mm", false, 1, 100000, 3},
    {"horizontal_view", &T::horizontal_view, "deg", false, 0, 360, 4},
    {"vertical_view", &T::vertical_view, "deg", false, 0, 180, 4},
    {"slant_range", &T::slant_range, "m", false, 0, 5e6, 3},
    {"centre_latitude", &T::centre_latitude, "deg", false, -90, 90, 9},
    {"centre_longitude", &T::centre_longitude, "deg", true, -180, 360, 9},
    {"centre_altitude", &T::centre_altitude, "m", false, -2000, 30000, 3},
    {"home_latitude", &T::home_latitude, "deg", false, -90, 90, 9},
    {"home_longitude", &T::home_longitude, "deg", true, -180, 360, 9},
};

}  // namespace

std::span<const TelemetryField> telemetry_fields() { return fields; }

const TelemetryField* field_named(std::string_view name) {
  for (const TelemetryField& field : fields)
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace shingle::drone

#include "apps/scene/flight/flight_truth.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>

#include "apps/scene/files.hpp"

namespace shingle {
namespace {

constexpr double degree = CV_PI / 180;
constexpr float thinnest = 0.01F;  // pixels: what is thinner would be written as a box of no size

constexpr const char* ground_header =
    "frame,seconds,id,class,latitude,longitude,east_m,north_m,speed_mps,heading_deg,length_m,"
    "width_m,height_m,visible\n";
constexpr const char* camera_header =
    "frame,seconds,utc_seconds,latitude,longitude,east_m,north_m,height_m,altitude_m,yaw_deg,"
    "pitch_deg,roll_deg,focal_px\n";

template <class... Values>
std::string line(const char* format, Values... values) {
  char text[320];
  const int length = std::snprintf(text, sizeof text, format, values...);
  assert(length > 0 && length < static_cast<int>(sizeof text));
  return text;
}

drone::LocalFrame earth_at(const WorldPlace& place) {
  auto earth = drone::LocalFrame::at(place.origin);
  assert(earth.ok());
  return *earth;
}

double compass(double heading) {  // radians from east towards north -> degrees from north
  const double degrees = std::fmod(90.0 - heading / degree, 360.0);
  return degrees < 0 ? degrees + 360.0 : degrees;
}

}  // namespace

FlightTruth::FlightTruth(const SceneFlight& flight, const WorldPlace& place)
    : flight_(flight),
      place_(place),
      earth_(earth_at(place)),
      ground_(ground_header),
      camera_(camera_header),
      scored_(truth_header) {}

void FlightTruth::add(uint32_t frame, const std::vector<Vehicle>& vehicles,
                      const std::vector<SeenVehicle>& seen) {
  const LoggedFrame logged = logged_frame(flight_, place_, frame);
  const Eigen::Vector3d position = flight_.position_at(logged.seconds);
  camera_ += line("%u,%.4f,%.4f,%.9f,%.9f,%.4f,%.4f,%.4f,%.4f,%.5f,%.5f,0,%.4f\n", frame + 1,
                  logged.seconds, logged.utc_seconds, logged.latitude, logged.longitude,
                  position.x(), position.y(), logged.height, logged.altitude, logged.yaw,
                  logged.pitch, flight_.camera().focal_x);
  for (const SeenVehicle& each : seen) {
    const Vehicle& vehicle = vehicles[each.index];
    const VehicleShape& shape = vehicle.shape;
    const Box& box = each.box;
    if (std::min(box.w, box.h) < thinnest) continue;  // it only just touches the picture's border
    const bool counts = each.visible >= least_visible && std::max(box.w, box.h) >= least_pixels;
    mot_ +=
        line("%u,%u,%.2f,%.2f,%.2f,%.2f,%d,%d,%.3f\n", frame + 1, vehicle.id, box.x, box.y, box.w,
             box.h, counts ? 1 : 0, static_cast<int>(shape.vehicle_class) + 1, each.visible);
    if (!counts)
      ignored_ += line("%u,-1,%.2f,%.2f,%.2f,%.2f\n", frame + 1, box.x, box.y, box.w, box.h);
    const cv::Point2d at = vehicle.pose.at;
    const drone::GeoPoint earth = earth_.to_wgs84({at.x, at.y, 0});
    ground_ += line("%u,%.4f,%u,%s,%.9f,%.9f,%.4f,%.4f,%.4f,%.3f,%.3f,%.3f,%.3f,%.3f\n", frame + 1,
                    logged.seconds, vehicle.id, name_of(shape.vehicle_class), earth.latitude,
                    earth.longitude, at.x, at.y, vehicle.speed, compass(vehicle.pose.heading),
                    shape.length, shape.width, shape.height, each.visible);
    scored_ += row_of(frame, {.id = vehicle.id,
                              .vehicle_class = shape.vehicle_class,
                              .box = box,
                              .visible = each.visible,
                              .speed = vehicle.speed,
                              .pose = vehicle.pose});
  }
}

}  // namespace shingle

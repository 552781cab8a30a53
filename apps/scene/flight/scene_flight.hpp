// SceneFlight: where a drone's camera is and where it looks, as a function of time. The middle of
// the picture is at the middle of the world at half of the clip.
//
//   hover     stands, as well as a drone can: sways by decimetres and tenths of degrees
//   straight  flies along its heading
//   turning   flies a part of a circle and turns with it
#pragma once

#include "apps/drone/ground/local_frame.hpp"
#include "apps/drone/ground/pose.hpp"
#include "apps/scene/view.hpp"

namespace shingle {

enum class FlownPath { hover, straight, turning };
const char* name_of(FlownPath path);

struct FlightOptions {
  cv::Size size{1920, 1080};
  // The picture may be a part of a larger one that the lens makes: its size, and where the part's
  // corner lies. Without: it is the whole.
  cv::Size whole{};
  cv::Point corner{};
  double focal_mm = 24.0;       // equivalent, of a film 36 mm wide
  double altitude = 100.0;      // metres above the ground
  double pitch_degrees = 90.0;  // below the horizon: 90 looks straight down
  double yaw_degrees = 0.0;     // clockwise from north
  FlownPath path = FlownPath::hover;
  double speed = 5.0;         // metres per second, unless it hovers
  double turn_degrees = 6.0;  // a second, where it turns; right is positive
  double frames_per_second = 25.0;
  uint32_t frames = 60;
  uint64_t seed = 1;
};

// A focal length, altitude or pitch with which a part of the picture shows no ground, or ground
// that is far away: one sentence that says what would do.
Status check(const FlightOptions& options);

// REQUIRES: check(options).
class SceneFlight {
 public:
  explicit SceneFlight(const FlightOptions& options);

  const FlightOptions& options() const { return options_; }
  const drone::Camera& camera() const { return camera_; }
  drone::Attitude look_at(double seconds) const;      // radians
  Eigen::Vector3d position_at(double seconds) const;  // local metres, up from the ground
  drone::CameraPose pose_at(double seconds) const;
  SceneView view_at(double seconds) const;

  // No picture shows anything beyond a square of twice this side around the middle, in metres.
  double reach() const;

 private:
  struct Sway {  // of a drone that tries to stand
    double size = 0.0, phase = 0.0, seconds = 10.0;
    double at(double time) const;
  };
  double flown_heading(double seconds) const;

  FlightOptions options_;
  drone::Camera camera_;
  Sway east_, north_, up_, yaw_, pitch_;
};

SceneView view_of(const drone::Camera& camera, const drone::CameraPose& pose);

// Where the middle of the world lies on the Earth, and when the clip begins.
struct WorldPlace {
  drone::GeoPoint origin;    // its height is that of the ground above the sea
  double utc_seconds = 0.0;  // since 1970
};
WorldPlace place_of_world(uint64_t seed);

}  // namespace shingle

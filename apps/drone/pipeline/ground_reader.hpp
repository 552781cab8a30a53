// Where vehicles are on the ground and how fast, by the flight's log, while the video runs.
//
// Speeds look back over the last two seconds of a track (latest_ground_motion()); a run that has
// ended can be smoothed both ways, this one cannot. Length and width are measured along the heading
// by the pose of each frame, so that a camera may turn. A box that the picture's border cuts says
// only about where its vehicle is.
#pragma once

#include <deque>
#include <map>

#include "apps/drone/align/log_view.hpp"
#include "apps/drone/count/sighting.hpp"
#include "apps/drone/ground/motion.hpp"
#include "apps/drone/ground/vehicle_size.hpp"
#include "apps/drone/track/byte_tracker.hpp"

namespace shingle::drone {

class GroundReader {
 public:
  // `offset`: seconds of the log = seconds of the video + offset. Errors: the log has no position,
  // or its first moment in the video gives no view.
  static Result<GroundReader> make(Flight flight, const ViewOptions& options, double offset);

  // A frame at this time of the video. Without telemetry there, or above the horizon, readings are
  // empty. REQUIRES: times grow.
  void begin_frame(double seconds);
  GroundReading read(const TrackedBox& tracked, VehicleKind kind);

  // Of what faces the camera at the picture's middle on the ground, at any time of the video. None:
  // no telemetry there, or the middle shows no ground.
  std::optional<double> metres_per_pixel(double seconds) const;

 private:
  struct History {
    std::deque<GroundObservation> observations{};
    std::deque<BoxExtent> extents{};  // of the last whole boxes whose heading is known
    double last_seconds = 0.0;
  };
  GroundReader(Flight flight, LocalFrame frame, const ViewOptions& options, double offset)
      : flight_(std::move(flight)), frame_(frame), options_(options), offset_(offset) {}
  std::optional<LogView> view_at(double seconds) const;
  Eigen::Vector3d camera_velocity() const;
  void read_last_motion(int64_t track, double height, GroundReading& reading) const;
  History& remember(int64_t track, const Eigen::Vector2d& point);
  std::optional<GroundMotion> motion_of(const History& history, double height) const;
  void read_size(History& history, const PixelBox& box, VehicleKind kind, double heading,
                 GroundReading& reading) const;

  Flight flight_;
  LocalFrame frame_;
  ViewOptions options_;
  double offset_;
  double seconds_ = 0.0;
  std::optional<LogView> view_{};
  Eigen::Vector3d camera_velocity_ = Eigen::Vector3d::Zero();
  std::map<int64_t, History> histories_{};
};

}  // namespace shingle::drone

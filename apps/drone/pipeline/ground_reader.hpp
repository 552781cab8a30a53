// Where vehicles are on the ground and how fast, by the flight's log, while the video runs.
//
// What is read of a frame at once looks back over the last two seconds of a track
// (latest_ground_motion()). Later, look_back() tells the same moment anew by what was seen before
// and after it. Length and width are measured along the heading by the pose of each frame, so that
// a camera may turn. A box that the picture's border cuts says only about where its vehicle is.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "apps/drone/align/log_view.hpp"
#include "apps/drone/count/sighting.hpp"
#include "apps/drone/ground/motion.hpp"
#include "apps/drone/ground/vehicle_size.hpp"
#include "apps/drone/slices/ground_scale.hpp"
#include "apps/drone/track/byte_tracker.hpp"

namespace shingle::drone {

// A track's last seconds, smoothed both ways.
struct SmoothedTrack {
  std::vector<GroundMotion> motions{};  // by time
  double height = 0.0;                  // of its places
};

class GroundReader {
 public:
  // `offset`: seconds of the log = seconds of the video + offset. Errors: the log has no position,
  // or its first moment in the video gives no view.
  static Result<GroundReader> make(Flight flight, const ViewOptions& options, double offset);

  // A frame at this time of the video. Without telemetry there, or above the horizon, readings are
  // empty. REQUIRES: times grow.
  void begin_frame(double seconds);
  GroundReading read(const TrackedBox& tracked, VehicleKind kind);

  // Empty: the track has no places.
  SmoothedTrack smoothed_track(int64_t track) const;
  // Replaces place, speed and heading of an earlier reading by those of its smoothed track at that
  // time. Before and behind the track nothing changes.
  void look_back(const SmoothedTrack& track, double seconds, GroundReading& reading) const;

  // At any time of the video. None: no telemetry there, or the middle shows no ground.
  std::optional<GroundScale> scale_at(double seconds) const;

 private:
  struct History {
    std::deque<GroundObservation> observations{};
    std::deque<BoxExtent> extents{};  // of the last whole boxes whose heading is known
    double last_seconds = 0.0;
    double height = 0.0;  // of the last place
  };
  struct Moment {
    LogView view;
    Eigen::Vector3d camera_velocity;
  };
  GroundReader(Flight flight, LocalFrame frame, const ViewOptions& options, double offset)
      : flight_(std::move(flight)), frame_(frame), options_(options), offset_(offset) {}
  std::optional<LogView> view_at(double seconds) const;
  std::optional<Moment> moment_at(double seconds) const;
  void set_place(const Eigen::Vector2d& place, double height, GroundReading& reading) const;
  void read_last_motion(int64_t track, GroundReading& reading) const;
  History& remember(int64_t track, const Eigen::Vector2d& point, double height);
  std::optional<GroundMotion> motion_of(const History& history) const;
  void read_size(History& history, const PixelBox& box, VehicleKind kind, double heading,
                 GroundReading& reading) const;

  Flight flight_;
  LocalFrame frame_;
  ViewOptions options_;
  double offset_;
  double seconds_ = 0.0;
  std::optional<Moment> now_{};
  std::map<int64_t, History> histories_{};
};

}  // namespace shingle::drone

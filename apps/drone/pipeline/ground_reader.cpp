#include "apps/drone/pipeline/ground_reader.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "apps/drone/boxes/picture_border.hpp"
#include "apps/drone/ground/motion_at.hpp"
#include "apps/drone/logs/interpolation.hpp"

namespace shingle::drone {
namespace {

constexpr double window_seconds = 2.0;
constexpr double least_step_seconds = 1.0 / 12.0;  // between observations that are kept
constexpr double forget_seconds = 5.0;             // a track that was not seen for so long
constexpr double velocity_step_seconds = 0.25;
constexpr size_t most_extents = 60;
constexpr double degrees = 180.0 / std::numbers::pi;

Reading reading_of(const Estimate& estimate) { return {estimate.value, estimate.half_width}; }
Reading reading_of(const std::optional<Estimate>& estimate) {
  return estimate ? reading_of(*estimate) : Reading{};
}

Reading in_degrees(Reading radians) {
  for (auto* angle : {&radians.value, &radians.half_width})
    if (*angle) **angle *= degrees;
  return radians;
}

void read_motion(const GroundMotion& motion, GroundReading& reading) {
  reading.x_metres = reading_of(motion.east);
  reading.y_metres = reading_of(motion.north);
  reading.speed_mps = reading_of(motion.speed);
  reading.heading_degrees = in_degrees(reading_of(motion.heading));
}

// Covariances of places and velocities that errors of the pose cause. `moment` must outlive it.
template <class Moment>
SystematicAt errors_of_pose(const Moment& moment, double height) {
  return
      [&moment, height](size_t, const Eigen::Vector2d& position, const Eigen::Vector2d& velocity) {
        return systematic_covariance(moment.view.camera, moment.view.pose, {},
                                     {.point = position,
                                      .velocity = velocity,
                                      .camera_velocity = moment.camera_velocity,
                                      .height = height});
      };
}

}  // namespace

Result<GroundReader> GroundReader::make(Flight flight, const ViewOptions& options, double offset) {
  const auto frame = local_frame_of(flight);
  if (!frame) return frame.failure();
  // A log may begin before its receiver knows where it is.
  std::optional<Error> why;
  for (double at = std::max(offset, flight.samples.front().seconds);; at += 1.0) {
    const auto moment = telemetry_at(flight, at);
    if (!moment) return why ? *why : moment.failure();
    const auto view = view_of(*moment, *frame, options);
    if (view) return GroundReader(std::move(flight), *frame, options, offset);
    if (!why) why = bad_input("'" + flight.name + "': " + view.error());
  }
}

std::optional<LogView> GroundReader::view_at(double seconds) const {
  const auto moment = telemetry_at(flight_, seconds + offset_);
  if (!moment) return std::nullopt;
  const auto view = view_of(*moment, frame_, options_);
  return view ? std::optional(*view) : std::nullopt;
}

std::optional<GroundScale> GroundReader::scale_at(double seconds) const {
  const auto view = view_at(seconds);
  if (!view) return std::nullopt;
  const Camera& camera = view->camera;
  const auto seen = [&](double y) -> std::optional<Eigen::Vector3d> {
    const auto place = ground_point(camera, view->pose, {camera.width / 2.0, y}, view->ground);
    if (!place) return std::nullopt;
    return Eigen::Vector3d(place->x(), place->y(), view->ground) - view->pose.position;
  };
  const auto middle = seen(camera.height / 2.0), below = seen(camera.height);
  if (!middle) return std::nullopt;
  // A pixel is as wide as the depth along the camera's axis makes it.
  const double depth = middle->norm();
  const double depth_below = below ? below->dot(middle->normalized()) : depth;
  return GroundScale{depth / camera.focal_x, depth_below / camera.focal_x};
}

std::optional<GroundReader::Moment> GroundReader::moment_at(double seconds) const {
  const auto view = view_at(seconds);
  if (!view) return std::nullopt;
  const auto before = view_at(seconds - velocity_step_seconds);
  const auto after = view_at(seconds + velocity_step_seconds);
  Moment moment{*view, Eigen::Vector3d::Zero()};
  if (before && after)
    moment.camera_velocity =
        (after->pose.position - before->pose.position) / (2.0 * velocity_step_seconds);
  return moment;
}

void GroundReader::begin_frame(double seconds) {
  seconds_ = seconds;
  now_ = moment_at(seconds);
  std::erase_if(histories_, [&](const auto& entry) {
    return seconds - entry.second.last_seconds > forget_seconds;
  });
}

GroundReading GroundReader::read(const TrackedBox& tracked, VehicleKind kind) {
  GroundReading reading;
  if (!now_) return reading;
  const LogView& view = now_->view;
  const double height = view.ground + box_centre_height(kind);
  const Eigen::Vector2d middle(tracked.box.x + tracked.box.w / 2.0,
                               tracked.box.y + tracked.box.h / 2.0);
  const auto point = ground_point(view.camera, view.pose, middle, height);
  if (!point) return reading;
  set_place(*point, height, reading);
  if (tracked.is_predicted) {
    read_last_motion(tracked.id, reading);
  } else if (!touches_border(tracked.box, view.camera.width, view.camera.height)) {
    History& history = remember(tracked.id, *point, height);
    if (const auto motion = motion_of(history)) {
      set_place({motion->east.value, motion->north.value}, height, reading);
      read_motion(*motion, reading);
      if (motion->heading) read_size(history, tracked.box, kind, motion->heading->value, reading);
    }
  }
  return reading;
}

void GroundReader::set_place(const Eigen::Vector2d& place, double height,
                             GroundReading& reading) const {
  reading.x_metres.value = place.x();
  reading.y_metres.value = place.y();
  const GeoPoint on_earth = frame_.to_wgs84({place.x(), place.y(), height});
  reading.latitude = on_earth.latitude;
  reading.longitude = on_earth.longitude;
}

// How it moved when it was last seen. A predicted box is no observation of its own.
void GroundReader::read_last_motion(int64_t track, GroundReading& reading) const {
  const auto history = histories_.find(track);
  if (history == histories_.end()) return;
  const auto motion = motion_of(history->second);
  if (!motion) return;
  reading.speed_mps = reading_of(motion->speed);
  reading.heading_degrees = in_degrees(reading_of(motion->heading));
}

GroundReader::History& GroundReader::remember(int64_t track, const Eigen::Vector2d& point,
                                              double height) {
  History& history = histories_[track];
  auto& observations = history.observations;
  // The newest one always counts; of those before it some are left out.
  if (observations.size() >= 2 &&
      observations.back().seconds - observations[observations.size() - 2].seconds <
          least_step_seconds)
    observations.pop_back();
  observations.push_back({seconds_, point});
  while (seconds_ - observations.front().seconds > window_seconds) observations.pop_front();
  history.last_seconds = seconds_;
  history.height = height;
  return history;
}

std::optional<GroundMotion> GroundReader::motion_of(const History& history) const {
  const std::vector<GroundObservation> track(history.observations.begin(),
                                             history.observations.end());
  const auto motion = latest_ground_motion(track, errors_of_pose(*now_, history.height));
  return motion ? std::optional(*motion) : std::nullopt;
}

SmoothedTrack GroundReader::smoothed_track(int64_t track) const {
  const auto history = histories_.find(track);
  if (history == histories_.end()) return {};
  const std::vector<GroundObservation> seen(history->second.observations.begin(),
                                            history->second.observations.end());
  const double height = history->second.height;
  const auto systematic = [&](size_t i, const Eigen::Vector2d& position,
                              const Eigen::Vector2d& velocity) {
    const auto moment = moment_at(seen[i].seconds);
    return moment ? errors_of_pose(*moment, height)(i, position, velocity) : SystematicCovariance{};
  };
  auto motions = ground_motion(seen, systematic);
  if (!motions) return {};
  return {std::move(*motions), height};
}

void GroundReader::look_back(const SmoothedTrack& track, double seconds,
                             GroundReading& reading) const {
  const auto motion = motion_at(track.motions, seconds);
  if (!motion) return;
  set_place({motion->east.value, motion->north.value}, track.height, reading);
  read_motion(*motion, reading);
}

void GroundReader::read_size(History& history, const PixelBox& box, VehicleKind kind,
                             double heading, GroundReading& reading) const {
  const auto extent = box_extent(now_->view.camera, now_->view.pose,
                                 {box.x, box.y, box.right(), box.bottom()}, kind, heading);
  if (!extent) return;
  history.extents.push_back(*extent);
  if (history.extents.size() > most_extents) history.extents.pop_front();
  const std::vector<BoxExtent> extents(history.extents.begin(), history.extents.end());
  const auto size = vehicle_size(extents, kind);
  if (!size) return;
  reading.length_metres = reading_of(size->length);
  reading.width_metres = reading_of(size->width);
}

}  // namespace shingle::drone

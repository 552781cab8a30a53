#include "apps/drone/pipeline/ground_reader.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "apps/drone/boxes/picture_border.hpp"
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

std::optional<double> GroundReader::metres_per_pixel(double seconds) const {
  const auto view = view_at(seconds);
  if (!view) return std::nullopt;
  const Camera& camera = view->camera;
  const auto middle =
      ground_point(camera, view->pose, {camera.width / 2.0, camera.height / 2.0}, view->ground);
  if (!middle) return std::nullopt;
  const Eigen::Vector3d point(middle->x(), middle->y(), view->ground);
  return (point - view->pose.position).norm() / camera.focal_x;
}

Eigen::Vector3d GroundReader::camera_velocity() const {
  const auto before = view_at(seconds_ - velocity_step_seconds);
  const auto after = view_at(seconds_ + velocity_step_seconds);
  if (!before || !after) return Eigen::Vector3d::Zero();
  return (after->pose.position - before->pose.position) / (2.0 * velocity_step_seconds);
}

void GroundReader::begin_frame(double seconds) {
  seconds_ = seconds;
  view_ = view_at(seconds);
  camera_velocity_ = camera_velocity();
  std::erase_if(histories_, [&](const auto& entry) {
    return seconds - entry.second.last_seconds > forget_seconds;
  });
}

GroundReading GroundReader::read(const TrackedBox& tracked, VehicleKind kind) {
  GroundReading reading;
  if (!view_) return reading;
  const double height = view_->ground + box_centre_height(kind);
  const Eigen::Vector2d middle(tracked.box.x + tracked.box.w / 2.0,
                               tracked.box.y + tracked.box.h / 2.0);
  const auto point = ground_point(view_->camera, view_->pose, middle, height);
  if (!point) return reading;
  Eigen::Vector2d place = *point;
  reading.x_metres.value = place.x();
  reading.y_metres.value = place.y();
  if (tracked.is_predicted) {
    read_last_motion(tracked.id, height, reading);
  } else if (!touches_border(tracked.box, view_->camera.width, view_->camera.height)) {
    History& history = remember(tracked.id, *point);
    if (const auto motion = motion_of(history, height)) {
      place = {motion->east.value, motion->north.value};
      read_motion(*motion, reading);
      if (motion->heading) read_size(history, tracked.box, kind, motion->heading->value, reading);
    }
  }
  const GeoPoint on_earth = frame_.to_wgs84({place.x(), place.y(), height});
  reading.latitude = on_earth.latitude;
  reading.longitude = on_earth.longitude;
  return reading;
}

// How it moved when it was last seen. A predicted box is no observation of its own.
void GroundReader::read_last_motion(int64_t track, double height, GroundReading& reading) const {
  const auto history = histories_.find(track);
  if (history == histories_.end()) return;
  const auto motion = motion_of(history->second, height);
  if (!motion) return;
  reading.speed_mps = reading_of(motion->speed);
  reading.heading_degrees = in_degrees(reading_of(motion->heading));
}

GroundReader::History& GroundReader::remember(int64_t track, const Eigen::Vector2d& point) {
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
  return history;
}

std::optional<GroundMotion> GroundReader::motion_of(const History& history, double height) const {
  const std::vector<GroundObservation> track(history.observations.begin(),
                                             history.observations.end());
  const auto systematic = [&](size_t, const Eigen::Vector2d& position,
                              const Eigen::Vector2d& velocity) {
    return systematic_covariance(view_->camera, view_->pose, {},
                                 {.point = position,
                                  .velocity = velocity,
                                  .camera_velocity = camera_velocity_,
                                  .height = height});
  };
  const auto motion = latest_ground_motion(track, systematic);
  return motion ? std::optional(*motion) : std::nullopt;
}

void GroundReader::read_size(History& history, const PixelBox& box, VehicleKind kind,
                             double heading, GroundReading& reading) const {
  const auto extent = box_extent(view_->camera, view_->pose,
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

#include "tests/flights/flight.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

#include "partition/base/dice.hpp"

namespace shingle::flights {
namespace {

using namespace drone;
constexpr double whole_turn = 2.0 * std::numbers::pi;

class Scene {
 public:
  explicit Scene(uint64_t seed) : dice_(mixed_bits(seed + 1)) {}
  double between(double least, double most) { return least + (most - least) * dice_.unit(); }
  double normal(double sigma) {  // Box and Muller
    const double radius = std::sqrt(-2.0 * std::log(1.0 - dice_.unit()));
    return sigma * radius * std::cos(whole_turn * dice_.unit());
  }
  size_t below(size_t count) { return dice_.below(count); }

 private:
  Dice dice_;
};

// Constant turn, and an acceleration that swings: v = v0 + swing sin(w t + phase), never below 0.
std::vector<TrueMoment> drive(Scene& scene, size_t frames, double rate,
                              const Eigen::Vector2d& start) {
  const double cruise = scene.between(2.0, 25.0);
  const double swing = scene.below(2) == 0 ? 0.0 : scene.between(0.0, std::min(3.0, cruise));
  const double pulse = scene.between(0.2, 0.6), phase = scene.between(0.0, whole_turn);
  const double turn = scene.below(2) == 0 ? 0.0 : scene.normal(2.0) / cruise;  // 2 m/s^2 sideways
  constexpr int pose_parts = 20;  // of a frame, for the integral
  TrueMoment now{.position = start, .heading = scene.between(0.0, whole_turn)};
  std::vector<TrueMoment> moments;
  for (size_t i = 0; i < frames; ++i) {
    now.seconds = static_cast<double>(i) / rate;
    now.speed = cruise + swing * std::sin(pulse * now.seconds + phase);
    now.acceleration = swing * pulse * std::cos(pulse * now.seconds + phase);
    moments.push_back(now);
    for (int part = 0; part < pose_parts; ++part) {
      const double step = 1.0 / rate / pose_parts;
      const double middle = now.seconds + (part + 0.5) * step;
      const double speed = cruise + swing * std::sin(pulse * middle + phase);
      const double heading = now.heading + turn * step / 2.0;
      now.position += speed * step * Eigen::Vector2d(std::sin(heading), std::cos(heading));
      now.heading += turn * step;
    }
  }
  for (TrueMoment& moment : moments)
    moment.heading -= whole_turn * std::floor(moment.heading / whole_turn);
  return moments;
}

// The upright box around the eight corners of the vehicle.
PixelEdges seen(const Camera& camera, const CameraPose& pose, const Vehicle& vehicle,
                const TrueMoment& moment) {
  const Eigen::Vector2d forward(std::sin(moment.heading), std::cos(moment.heading));
  const Eigen::Vector2d right(forward.y(), -forward.x());
  PixelEdges box{1e9, 1e9, -1e9, -1e9};
  for (const double along : {-0.5, 0.5})
    for (const double across : {-0.5, 0.5})
      for (const double up : {0.0, vehicle.height}) {
        const Eigen::Vector2d foot =
            moment.position + along * vehicle.length * forward + across * vehicle.width * right;
        const auto pixel = pixel_of(camera, pose, {foot.x(), foot.y(), up});
        if (!pixel) continue;
        box = {std::min(box.left, pixel->x()), std::min(box.top, pixel->y()),
               std::max(box.right, pixel->x()), std::max(box.bottom, pixel->y())};
      }
  return box;
}

struct Truth {
  Camera camera;
  std::vector<CameraPose> poses;
};

// The told pose, off by one error for the whole flight and by a small one in each frame.
Truth true_view(Scene& scene, const Flight& flight) {
  const PoseErrors& sigma = flight.errors;
  Truth truth{.camera = flight.told_camera, .poses = {}};
  const double focal = 1.0 + scene.normal(sigma.focal_share);
  truth.camera.focal_x *= focal;
  truth.camera.focal_y *= focal;
  const Eigen::Vector3d shift(scene.normal(sigma.position_m), scene.normal(sigma.position_m),
                              scene.normal(sigma.height_m));
  const double yaw = scene.normal(sigma.yaw_rad), pitch = scene.normal(sigma.pitch_rad),
               roll = scene.normal(sigma.roll_rad);
  const double shake = scene.between(0.0, 4e-4);
  for (const CameraPose& told : flight.told_poses) {
    const auto& axes = told.camera_to_local;
    using Turn = Eigen::AngleAxisd;
    const Eigen::Matrix3d turn = (Turn(yaw + scene.normal(shake), Eigen::Vector3d::UnitZ()) *
                                  Turn(pitch + scene.normal(shake), axes.col(0)) *
                                  Turn(roll + scene.normal(shake), axes.col(1)))
                                     .toRotationMatrix();
    truth.poses.push_back({told.position + shift, turn * axes});
  }
  return truth;
}

// How far a box lies beside its vehicle for a while: two swings of 0.5 to 3 s an axis.
class Wander {
 public:
  Wander(Scene& scene, double sigma) {
    for (Swing& swing : swings_)
      swing = {scene.normal(sigma), scene.between(2.0, 12.0), scene.between(0.0, whole_turn)};
  }
  Eigen::Vector2d at(double seconds) const {  // pixels
    const auto sum = [&](size_t first) {
      double all = 0.0;
      for (size_t i = first; i < first + 2; ++i)
        all += swings_[i].size * std::sin(swings_[i].pulse * seconds + swings_[i].phase);
      return all;
    };
    return {sum(0), sum(2)};
  }

 private:
  struct Swing {
    double size = 0.0, pulse = 0.0, phase = 0.0;  // pixels, rad/s, rad
  };
  std::array<Swing, 4> swings_{};
};

Vehicle drawn_vehicle(Scene& scene) {
  Vehicle vehicle{.kind = static_cast<VehicleKind>(scene.below(4))};
  const TypicalVehicle usual = typical(vehicle.kind);
  vehicle.length = std::max(3.0, usual.length + scene.normal(usual.length_sigma));
  vehicle.width = usual.width + scene.normal(usual.width_sigma);
  vehicle.height = std::max(1.0, usual.height + scene.normal(usual.height_sigma));
  return vehicle;
}

}  // namespace

Flight drawn_flight(uint64_t seed) {
  Scene scene(seed);
  Flight flight;
  flight.told_camera = *camera_of_equivalent_focal(1920, 1080, scene.between(22.0, 35.0));
  const double rate = scene.between(8.0, 30.0);
  const auto frames = static_cast<size_t>(scene.between(40.0, 160.0));
  const double height = scene.between(50.0, 150.0);
  flight.errors.height_m = 0.01 * height;
  const Attitude look{scene.between(0.0, whole_turn), straight_down + scene.between(0.0, 0.7), 0.0};
  const Eigen::Vector2d wind(scene.normal(3.0), scene.normal(3.0));
  flight.camera_velocity << wind, 0.0;
  for (size_t i = 0; i < frames; ++i) {
    const Eigen::Vector2d at = wind * (static_cast<double>(i) / rate);
    flight.told_poses.push_back(pose_of({at.x(), at.y(), height}, look));
  }
  const Truth truth = true_view(scene, flight);
  const double jitter = scene.between(0.2, 1.0);  // px, each edge
  // Every other detector draws each box anew; the boxes of the others wander as well.
  const double wander = scene.below(2) == 0 ? 0.0 : scene.between(0.0, 0.7);  // px
  for (int i = 0; i < 6; ++i) {
    Vehicle vehicle = drawn_vehicle(scene);
    const Eigen::Vector2d pixel(scene.between(300.0, 1620.0), scene.between(200.0, 880.0));
    const auto start = ground_point(truth.camera, truth.poses[0], pixel);
    if (!start) continue;
    vehicle.moments = drive(scene, frames, rate, *start);
    const double edge =
        scene.normal(SizeErrors{}.edge_m / 2.0) / metres_per_pixel(truth.camera, height);
    const Wander wanders(scene, wander);
    for (size_t frame = 0; frame < frames; ++frame) {
      PixelEdges box = seen(truth.camera, truth.poses[frame], vehicle, vehicle.moments[frame]);
      box.left += scene.normal(jitter) - edge, box.right += scene.normal(jitter) + edge;
      box.top += scene.normal(jitter) - edge, box.bottom += scene.normal(jitter) + edge;
      const Eigen::Vector2d beside = wanders.at(vehicle.moments[frame].seconds);
      box.left += beside.x(), box.right += beside.x();
      box.top += beside.y(), box.bottom += beside.y();
      vehicle.boxes.push_back(box);
    }
    flight.vehicles.push_back(std::move(vehicle));
  }
  return flight;
}

Cover FlightCover::total() const {
  Cover sum;
  for (const Cover& each : {position, speed, acceleration, heading, size}) {
    sum.held += each.held;
    sum.asked += each.asked;
  }
  return sum;
}

namespace {

// Only what the picture shows counts: a vehicle that drove out of it is not seen.
bool is_inside(const Camera& camera, const PixelEdges& box) {
  return box.left >= 0.0 && box.top >= 0.0 && box.right <= camera.width &&
         box.bottom <= camera.height;
}

void compare(const GroundMotion& motion, const TrueMoment& truth, FlightCover& cover) {
  cover.position.count(motion.east, truth.position.x());
  cover.position.count(motion.north, truth.position.y());
  if (motion.speed) cover.speed.count(*motion.speed, truth.speed);
  if (motion.acceleration) cover.acceleration.count(*motion.acceleration, truth.acceleration);
  if (!motion.heading) return;
  const double miss = std::remainder(truth.heading - motion.heading->value, whole_turn);
  cover.heading.count({0.0, motion.heading->half_width}, miss);
}

void measure_vehicle(const Flight& flight, const Vehicle& vehicle, FlightCover& cover) {
  std::vector<GroundObservation> track;
  const double height = box_centre_height(vehicle.kind);
  for (size_t i = 0; i < vehicle.boxes.size(); ++i) {
    const PixelEdges& box = vehicle.boxes[i];
    if (!is_inside(flight.told_camera, box)) break;
    const auto point =
        ground_point(flight.told_camera, flight.told_poses[i],
                     {(box.left + box.right) / 2.0, (box.top + box.bottom) / 2.0}, height);
    if (!point) break;
    track.push_back({vehicle.moments[i].seconds, *point});
  }
  PoseErrors errors = flight.errors;
  errors.plane_height_m = typical(vehicle.kind).height_sigma / 2.0;
  const auto systematic = [&](size_t i, const Eigen::Vector2d& at,
                              const Eigen::Vector2d& velocity) {
    return systematic_covariance(flight.told_camera, flight.told_poses[i], errors,
                                 {at, velocity, flight.camera_velocity, height});
  };
  const auto motions = ground_motion(track, systematic);
  assert(motions.ok());
  std::vector<BoxExtent> extents;
  for (size_t i = 0; i < motions->size(); ++i) {
    compare((*motions)[i], vehicle.moments[i], cover);
    if (!(*motions)[i].heading) continue;
    const auto extent = box_extent(flight.told_camera, flight.told_poses[i], vehicle.boxes[i],
                                   vehicle.kind, (*motions)[i].heading->value);
    if (extent) extents.push_back(*extent);
  }
  const auto size = vehicle_size(extents, vehicle.kind);
  if (!size) return;
  cover.size.count(size->length, vehicle.length);
  cover.size.count(size->width, vehicle.width);
}

}  // namespace

void measure(const Flight& flight, FlightCover& cover) {
  for (const Vehicle& vehicle : flight.vehicles) measure_vehicle(flight, vehicle, cover);
}

}  // namespace shingle::flights

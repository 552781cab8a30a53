// A flight over vehicles that nobody draws: true motion of solid boxes on wheels, a camera whose
// pose is not quite what its log says, and the boxes that a detector would give. Everything comes
// from a seed.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/drone/ground/motion.hpp"
#include "apps/drone/ground/vehicle_size.hpp"

namespace shingle::flights {

struct TrueMoment {
  double seconds = 0.0;
  Eigen::Vector2d position = Eigen::Vector2d::Zero();
  double speed = 0.0, acceleration = 0.0, heading = 0.0;  // m/s, m/s^2 along the heading, rad
};

struct Vehicle {
  drone::VehicleKind kind = drone::VehicleKind::car;
  double length = 0.0, width = 0.0, height = 0.0;  // m
  std::vector<TrueMoment> moments{};               // one for each frame
  std::vector<drone::PixelEdges> boxes{};          // what the detector gave, noise and all
};

struct Flight {
  drone::Camera told_camera{};                                // what the log says
  std::vector<drone::CameraPose> told_poses{};                // one for each frame
  Eigen::Vector3d camera_velocity = Eigen::Vector3d::Zero();  // m/s
  drone::PoseErrors errors{};       // sigmas from which the true pose was drawn
  std::vector<Vehicle> vehicles{};  // straight, curving, braking, standing
};

Flight drawn_flight(uint64_t seed);

// How often the 95 % intervals hold the truth, over all vehicles and frames of a flight.
struct Cover {
  uint64_t held = 0, asked = 0;
  void count(const drone::Estimate& estimate, double truth) {
    ++asked;
    held += drone::covers(estimate, truth);
  }
  double share() const {
    return asked == 0 ? 0.0 : static_cast<double>(held) / static_cast<double>(asked);
  }
};
struct FlightCover {
  Cover position{}, speed{}, acceleration{}, heading{}, size{};
  Cover total() const;
};

// Measures the flight from boxes and told poses alone, then compares with the truth.
void measure(const Flight& flight, FlightCover& cover);

}  // namespace shingle::flights

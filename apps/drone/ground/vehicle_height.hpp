// How high the centre of a vehicle's box lies. A box is drawn around all that is seen of a vehicle:
// its roof, and the side that faces the camera. The picture of a solid box is symmetric about the
// picture of its centre when it is seen from afar, so the centre of the box that is drawn shows the
// point at half the vehicle's height, from whatever angle. A ray to that point is cut with the
// plane of that height, not with the ground: 0.75 m instead of 0 under a camera at 146 m is half a
// percent of each distance and speed.
#pragma once

#include <cstdint>

namespace shingle::drone {

enum class VehicleKind : uint8_t { car, van, truck, bus };

struct TypicalVehicle {
  double length, length_sigma, width, width_sigma, height, height_sigma;  // m
};

// European and American traffic: the sigmas hold most of a kind's models.
constexpr TypicalVehicle typical(VehicleKind kind) {
  switch (kind) {
    case VehicleKind::car:
      return {4.5, 0.5, 1.85, 0.12, 1.5, 0.15};
    case VehicleKind::van:
      return {5.6, 0.8, 2.05, 0.15, 2.3, 0.35};
    case VehicleKind::truck:
      return {9.5, 3.5, 2.5, 0.15, 3.3, 0.5};
    case VehicleKind::bus:
      return {12.0, 2.0, 2.55, 0.1, 3.1, 0.3};
  }
  return {4.5, 0.5, 1.85, 0.12, 1.5, 0.15};
}

constexpr double box_centre_height(VehicleKind kind) { return typical(kind).height / 2.0; }

}  // namespace shingle::drone

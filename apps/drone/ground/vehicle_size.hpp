// Length and width of a vehicle from upright boxes and its heading.
//
//   a side of a box, in pixels =   length x |pixels along the side that a metre forward takes|
//                                + width  x |... a metre to the right|
//                                + height x |... a metre up|
//                                + what the detector draws too much
//
// Each box gives two such equations. A vehicle that always drives along 45 degrees of the picture
// tells only length + width; what is typical of its kind then parts the two, and the intervals say
// how well (Bayesian linear regression: Bishop 2006, section 3.3).
#pragma once

#include <optional>
#include <span>

#include "apps/drone/ground/estimate.hpp"
#include "apps/drone/ground/pose.hpp"
#include "apps/drone/ground/vehicle_height.hpp"

namespace shingle::drone {

struct BoxSide {
  double pixels = 0.0;
  double per_length = 0.0, per_width = 0.0, per_height = 0.0;  // pixels a metre of each; >= 0
};
struct BoxExtent {
  BoxSide x{}, y{};
  double pixels_per_metre = 0.0;  // of the ground, along x
};

struct PixelEdges {
  double left = 0.0, top = 0.0, right = 0.0, bottom = 0.0;
};
// Of one box. Errors: those of ground_point.
Result<BoxExtent> box_extent(const Camera& camera, const CameraPose& pose, const PixelEdges& box,
                             VehicleKind kind, double heading_rad);

struct VehicleSize {
  Estimate length{}, width{};  // m
};

// `scale_share`: one sigma of the scale, relative (height and focal length together). `edge_m`: one
// sigma of how much too large or small the detector draws all boxes of this vehicle. None: no
// boxes.
struct SizeErrors {
  double scale_share = 0.014, edge_m = 0.15;
};
std::optional<VehicleSize> vehicle_size(std::span<const BoxExtent> boxes, VehicleKind kind,
                                        const SizeErrors& errors = {});

}  // namespace shingle::drone

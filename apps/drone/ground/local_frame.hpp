// WGS84 and local metres: a plane that touches the ellipsoid at an origin; east, north, up.
#pragma once

#include <Eigen/Core>
#include <GeographicLib/LocalCartesian.hpp>

#include "partition/base/result.hpp"

namespace shingle::drone {

struct GeoPoint {
  double latitude = 0.0, longitude = 0.0;  // degrees
  double height = 0.0;                     // m; above what the caller says, the same for all points
};

class LocalFrame {
 public:
  // Errors: a latitude beyond 90 degrees, or a number that is none.
  static Result<LocalFrame> at(const GeoPoint& origin);

  Eigen::Vector3d to_local(const GeoPoint& point) const;
  GeoPoint to_wgs84(const Eigen::Vector3d& local) const;

 private:
  explicit LocalFrame(const GeoPoint& origin)
      : plane_(origin.latitude, origin.longitude, origin.height) {}
  GeographicLib::LocalCartesian plane_;
};

}  // namespace shingle::drone

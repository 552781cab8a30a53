#include "apps/drone/ground/local_frame.hpp"

#include <cmath>

namespace shingle::drone {

Result<LocalFrame> LocalFrame::at(const GeoPoint& origin) {
  if (!std::isfinite(origin.latitude) || !std::isfinite(origin.longitude) ||
      !std::isfinite(origin.height) || std::abs(origin.latitude) > 90.0 ||
      std::abs(origin.longitude) > 540.0)
    return bad_input(
        "the origin of local metres is no place on earth; check latitude and longitude");
  return LocalFrame(origin);
}

Eigen::Vector3d LocalFrame::to_local(const GeoPoint& point) const {
  Eigen::Vector3d local;
  plane_.Forward(point.latitude, point.longitude, point.height, local.x(), local.y(), local.z());
  return local;
}

GeoPoint LocalFrame::to_wgs84(const Eigen::Vector3d& local) const {
  GeoPoint point;
  plane_.Reverse(local.x(), local.y(), local.z(), point.latitude, point.longitude, point.height);
  return point;
}

}  // namespace shingle::drone

#include "apps/drone/count/site_plane.hpp"

#include <cmath>

namespace shingle::drone {
namespace {

std::optional<PlanePoint> first_point(const Site& site) {
  if (!site.lines.empty()) return site.lines.front().segment.begin;
  if (!site.zones.empty()) return site.zones.front().corners.front();
  if (!site.lanes.empty()) return site.lanes.front().corners.front();
  return std::nullopt;
}

// In WGS84: (x: longitude, y: latitude).
std::optional<PlanePoint> origin_of(const Site& site) {
  if (site.coordinates == SiteCoordinates::wgs84) {
    if (const auto first = first_point(site)) return first;
  }
  if (!site.ground_points.empty() && site.ground_is_wgs84) return site.ground_points.front().ground;
  return std::nullopt;
}

struct SitePoint {
  PlanePoint* point;
  size_t file_line;
};

std::vector<SitePoint> points_of(Site& site) {
  std::vector<SitePoint> points;
  const auto add_segment = [&](PlaneSegment& segment, size_t file_line) {
    points.push_back({&segment.begin, file_line});
    points.push_back({&segment.end, file_line});
  };
  for (CountLine& line : site.lines) add_segment(line.segment, line.file_line);
  for (Zone& zone : site.zones)
    for (PlanePoint& corner : zone.corners) points.push_back({&corner, zone.file_line});
  for (Lane& lane : site.lanes) {
    for (PlanePoint& corner : lane.corners) points.push_back({&corner, lane.file_line});
    add_segment(lane.direction, lane.file_line);
  }
  return points;
}

double weight_at(const Eigen::Matrix3d& matrix, PlanePoint pixel) {
  return matrix(2, 0) * pixel.x + matrix(2, 1) * pixel.y + matrix(2, 2);
}

}  // namespace

Result<SitePlane> SitePlane::of(const Site& site) {
  SitePlane plane;
  const bool has_points = !site.ground_points.empty();
  plane.is_metric_ = has_points || site.coordinates != SiteCoordinates::pixels;
  plane.is_of_the_run_ = site.coordinates == SiteCoordinates::metres && !has_points;
  if (has_points && site.coordinates == SiteCoordinates::metres && site.ground_is_wgs84)
    return bad_site(site, site.ground_points.front().file_line,
                    "the site is in metres and its ground points are in WGS84; give both in the "
                    "same coordinates");
  if (has_points && site.coordinates == SiteCoordinates::wgs84 && !site.ground_is_wgs84)
    return bad_site(site, site.ground_points.front().file_line,
                    "the site is in WGS84 and its ground points are in metres; give both in the "
                    "same coordinates");
  if (const auto origin = origin_of(site)) {
    const auto frame = LocalFrame::at({.latitude = origin->y, .longitude = origin->x});
    if (!frame) return bad_site(site, 0, frame.error());
    plane.frame_ = *frame;
  }
  if (!has_points) return plane;
  std::vector<PointPair> pairs;
  for (const GroundPoint& point : site.ground_points) {
    const PlanePoint ground =
        site.ground_is_wgs84 ? plane.of_wgs84(point.ground.y, point.ground.x) : point.ground;
    pairs.push_back({{point.pixel.x, point.pixel.y}, {ground.x, ground.y}});
  }
  auto fitted = fit_homography(pairs);
  if (!fitted) return bad_site(site, site.ground_points.front().file_line, fitted.error());
  // A positive weight is on the ground points' side of the horizon.
  if (weight_at(fitted->matrix, site.ground_points.front().pixel) < 0.0) fitted->matrix *= -1.0;
  plane.homography_ = std::move(*fitted);
  return plane;
}

PlanePoint SitePlane::of_wgs84(double latitude, double longitude) const {
  const auto local = frame_->to_local({.latitude = latitude, .longitude = longitude});
  return {local.x(), local.y()};
}

std::optional<PlanePoint> SitePlane::of_site(SiteCoordinates coordinates, PlanePoint point) const {
  switch (coordinates) {
    case SiteCoordinates::pixels:
      return of_pixel(point);
    case SiteCoordinates::wgs84:
      return of_wgs84(point.y, point.x);
    case SiteCoordinates::metres:
      break;
  }
  return point;
}

Result<Site> SitePlane::drawn(const Site& site) const {
  Site drawn = site;
  for (const auto& [point, file_line] : points_of(drawn)) {
    const auto place = of_site(site.coordinates, *point);
    if (!place)
      return bad_site(site, file_line,
                      "a point lies at or above the horizon that the ground points give; move it "
                      "down, or check the ground points");
    *point = *place;
  }
  if (const Status good = check(drawn); !good) return good.failure();
  return drawn;
}

std::optional<PlanePoint> SitePlane::of_pixel(PlanePoint pixel) const {
  if (!is_metric_) return pixel;
  if (!homography_) return std::nullopt;
  if (weight_at(homography_->matrix, pixel) <= 1e-9) return std::nullopt;
  const auto ground = mapped(homography_->matrix, {pixel.x, pixel.y});
  return PlanePoint{ground.x(), ground.y()};
}

std::optional<PlanePoint> SitePlane::place_of(const Sighting& sighting) const {
  const GroundReading& ground = sighting.ground;
  if (is_of_the_run_) {
    if (ground.x_metres.value && ground.y_metres.value)
      return PlanePoint{*ground.x_metres.value, *ground.y_metres.value};
    return std::nullopt;
  }
  if (sighting.key)
    if (const auto place = of_pixel(*sighting.key)) return place;
  if (frame_ && ground.latitude && ground.longitude)
    return of_wgs84(*ground.latitude, *ground.longitude);
  return std::nullopt;
}

std::optional<GeoPoint> SitePlane::to_wgs84(PlanePoint point) const {
  if (!frame_) return std::nullopt;
  return frame_->to_wgs84({point.x, point.y, 0.0});
}

std::optional<double> SitePlane::units_per_pixel(PlanePoint pixel) const {
  if (!is_metric_) return 1.0;
  const auto here = of_pixel(pixel), right = of_pixel(pixel + PlanePoint{1.0, 0.0}),
             below = of_pixel(pixel + PlanePoint{0.0, 1.0});
  if (!here || !right || !below) return std::nullopt;
  return std::sqrt(std::abs(cross(*right - *here, *below - *here)));
}

Result<DrawnSite> drawn_site(const Site& site) {
  if (const Status good = check(site); !good) return good.failure();
  auto plane = SitePlane::of(site);
  if (!plane) return plane.failure();
  auto drawn = plane->drawn(site);
  if (!drawn) return drawn.failure();
  return DrawnSite{std::move(*plane), std::move(*drawn)};
}

}  // namespace shingle::drone

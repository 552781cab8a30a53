// The plane in which a site is counted, and how pictures and WGS84 lead to it.
//
//   site in pixels, no ground points   the key frame's pixels; there are no metres
//   site in pixels, ground points      local metres, by the homography of the ground points
//   site in metres                     local metres of the run, or of the ground points
//   site in WGS84                      local metres about the site's first point
//
// A homography maps lines to lines, so a site that is drawn in pixels counts the same in metres.
#pragma once

#include <optional>

#include "apps/drone/count/sighting.hpp"
#include "apps/drone/count/site.hpp"
#include "apps/drone/ground/homography.hpp"
#include "apps/drone/ground/local_frame.hpp"

namespace shingle::drone {

class SitePlane {
 public:
  // Errors: one to three ground points, ground points on a line, ground points in other ground
  // coordinates than the site, a latitude beyond 90 degrees.
  static Result<SitePlane> of(const Site& site);

  bool is_metric() const { return is_metric_; }
  bool y_points_down() const { return !is_metric_; }
  const std::optional<FittedHomography>& from_picture() const { return homography_; }

  // The site with all its points in this plane. Errors: a point above the horizon, and those of
  // check(): what is fine in degrees may cross itself here.
  Result<Site> drawn(const Site& site) const;

  // Empty: this plane cannot be reached from what is known.
  std::optional<PlanePoint> place_of(const Sighting& sighting) const;
  std::optional<PlanePoint> of_pixel(PlanePoint pixel) const;
  std::optional<GeoPoint> to_wgs84(PlanePoint point) const;
  // Plane units in a pixel at the place; empty: the plane is not reached from pixels.
  std::optional<double> units_per_pixel(PlanePoint pixel) const;

 private:
  SitePlane() = default;
  PlanePoint of_wgs84(double latitude, double longitude) const;
  std::optional<PlanePoint> of_site(SiteCoordinates coordinates, PlanePoint point) const;

  bool is_metric_ = false;
  bool is_of_the_run_ = false;  // its metres are the run's own
  std::optional<FittedHomography> homography_{};
  std::optional<LocalFrame> frame_{};
};

// A site in its plane.
struct DrawnSite {
  SitePlane plane;
  Site site{};  // all its points are in the plane; its names and order are those of the file
};
// Errors: those of check(), SitePlane::of() and SitePlane::drawn().
Result<DrawnSite> drawn_site(const Site& site);

}  // namespace shingle::drone

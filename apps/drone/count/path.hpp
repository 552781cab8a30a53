// A path: where one track was in the plane of the site, with its velocity and size there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/drone/count/sighting.hpp"
#include "apps/drone/count/site_plane.hpp"

namespace shingle::drone {

struct PathPoint {
  uint32_t frame = 1;
  double seconds = 0.0;
  PlanePoint at{};
  // Plane units a second: the slope of a straight line through the points within half a second
  // (least squares). Empty: fewer than three such points, or its box is cut by the picture's
  // border: the centre of what is left of a vehicle seems to stop there.
  std::optional<PlanePoint> velocity{};
  // As the run states it, else that of `velocity` where the plane is metric.
  std::optional<double> speed_mps{};
  // Unit vector of the last velocity above standing speed, or of the first one to come.
  std::optional<PlanePoint> facing{};
  // Slower than 0.5 m/s, or, without metres, than a tenth of its own length a second. Empty: its
  // velocity is not known.
  std::optional<bool> stands{};
};

struct VehicleExtent {  // in plane units
  double length = 0.0, width = 0.0;
};

struct Path {
  int64_t track = 0;
  int class_id = -1;                      // the last one that was reported
  std::vector<PathPoint> points{};        // by time
  std::optional<VehicleExtent> extent{};  // medians over the track
};

// Half the time that the vehicle takes to pass a line with its length. Empty: its length or
// velocity is not known there, or it stands.
std::optional<double> half_passage_seconds(const Path& path, size_t point);

// Length and width are the run's where the plane is the run's or WGS84. Else they follow from the
// boxes: a rectangle of length L and width 0.4 L at the angle a to the x axis of its own picture
// has a box of width and height with w + h = 1.4 L (|cos a| + |sin a|). 0.4 is a car's 1.8 m to 4.5
// m.
inline constexpr double width_per_length = 0.4;

struct PictureSize {  // in pixels; 0: not known
  uint32_t width = 0, height = 0;
};

struct Paths {
  std::vector<Path> paths{};             // by track; each has a point
  std::vector<int64_t> without_place{};  // tracks of which no sighting has a place in the plane
};

// REQUIRES: the sightings of a track come by growing time. Tracks may come in any order, and the
// result does not depend on it. Without the picture's size only its left and upper border are
// known.
Paths paths_of(std::span<const Sighting> sightings, const SitePlane& plane,
               const PictureSize& picture = {});

}  // namespace shingle::drone

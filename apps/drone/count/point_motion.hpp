// How a point of a track moves, and how large its vehicle is: what paths of whole tracks and tracks
// that are still watched have in common.
#pragma once

#include <span>

#include "apps/drone/count/path.hpp"
#include "apps/drone/count/picture_turns.hpp"

namespace shingle::drone {

inline constexpr double slope_seconds = 0.5;

struct Moment2D {
  double seconds = 0.0;
  PlanePoint at{};
};

// The slope at `index` by least squares over the moments within `slope_seconds` of it. None: fewer
// than three of them. REQUIRES: index < moments.size(); times grow.
std::optional<PlanePoint> slope_at(std::span<const Moment2D> moments, size_t index);

// Medians of what the run states; none: it states no length.
std::optional<VehicleExtent> stated_extent(std::span<const Sighting* const> sightings);

// From the boxes of those frames in which it moves across the picture. A vehicle that never does
// is as long as the longer side of its box. None: no box is whole and has a place in the plane.
std::optional<VehicleExtent> boxed_extent(std::span<const Sighting* const> sightings,
                                          const SitePlane& plane, const PictureSize& picture,
                                          const PictureTurns& turns);

// PathPoint's velocity, speed (unless the run stated it) and whether it stands.
void set_motion(PathPoint& point, const std::optional<PlanePoint>& velocity, bool is_metric,
                const std::optional<VehicleExtent>& extent);

}  // namespace shingle::drone

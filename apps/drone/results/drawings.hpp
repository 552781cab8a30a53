// Pictures of a run: where vehicles were, and how they moved along a line.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "apps/drone/count/path.hpp"

namespace shingle::drone {

// A PNG file's bytes.
using PngBytes = std::vector<unsigned char>;

// Sightings of a track that are farther apart are not joined.
inline constexpr double longest_step_seconds = 1.0;

// How long vehicles were at each place: seconds in cells of a thousandth of the longer side,
// smoothed (Gaussian, sigma 4 cells), dark to bright by logarithm. REQUIRES: a path. Errors: the
// picture cannot be encoded.
Result<PngBytes> heatmap_png(std::span<const Path> paths, bool y_points_down);

struct TimeSpaceLine {  // a vehicle in a time-space diagram
  int64_t track = 0;
  std::vector<PlanePoint> points{};  // x: seconds, y: distance along the lane, in the plane's unit
};

struct TimeSpace {
  std::vector<TimeSpaceLine> lines{};
  double length = 0.0;  // of the lane along its direction
};

// The parts of the paths that lie in the lane. Distances go along its direction, which is straight,
// from the corner where it begins.
TimeSpace time_space(std::span<const Path> paths, const Lane& lane);

// Time to the right, distance upwards: slopes are speeds (Edie 1963, Discussion of traffic stream
// measurements and definitions). `unit`: "m" or "px". REQUIRES: a line.
Result<PngBytes> time_space_png(const TimeSpace& diagram, const std::string& unit);

}  // namespace shingle::drone

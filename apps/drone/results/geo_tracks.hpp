// Tracks and shapes on the earth, as GeoJSON and KML draw them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/drone/count/sighting.hpp"

namespace shingle::drone {

struct GeoFix {
  double seconds = 0.0;
  PlanePoint at{};                  // x: longitude, y: latitude; WGS84, degrees
  std::optional<PlanePoint> map{};  // easting, northing in the run's map grid
};

struct GeoTrack {
  int64_t track = 0;
  int class_id = -1;
  std::vector<GeoFix> fixes{};  // by time; at least one
};

struct GeoTracks {
  std::vector<GeoTrack> tracks{};           // by track
  std::vector<int64_t> without_position{};  // tracks that no latitude and longitude is known of
};

// Sightings without a position are passed over. REQUIRES: by growing time.
GeoTracks geo_tracks(std::span<const Sighting> sightings);

// Something that a site draws: an area, or a line.
struct GeoShape {
  std::string kind{}, name{};
  std::vector<PlanePoint> points{};  // as in GeoFix; an area's first corner is not repeated
  bool is_area = false;
};

// The points in pieces that do not cross the antimeridian (RFC 7946, 3.1.9): where a step goes
// across it, the piece ends at 180 degrees and the next one begins on the other side.
std::vector<std::vector<PlanePoint>> cut_at_antimeridian(std::span<const PlanePoint> points);

// An area's corners counterclockwise, with the first one again at the end (RFC 7946, 3.1.6).
std::vector<PlanePoint> counterclockwise_ring(std::vector<PlanePoint> corners);

}  // namespace shingle::drone

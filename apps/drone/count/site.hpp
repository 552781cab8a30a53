// A site: what an observer draws over a place before counting. Lines count who passes them, zones
// who stays in them, lanes have a direction, entries give way to another stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/drone/count/geometry.hpp"
#include "partition/base/result.hpp"

namespace shingle::drone {

// What the numbers of a site's points are. In WGS84 a point is (x: longitude, y: latitude).
enum class SiteCoordinates : uint8_t { pixels, metres, wgs84 };

// `forward` is from the left to the right of somebody who looks from the line's begin to its end,
// on the picture or on a map with north above.
enum class Direction : uint8_t { forward, backward };

struct CountLine {
  std::string name{};
  PlaneSegment segment{};
  std::string forward = "forward", backward = "backward";  // names of the directions
  size_t file_line = 0;  // where it begins in the file, for error sentences; 0: not in a file
};

struct Zone {
  std::string name{};
  std::vector<PlanePoint> corners{};
  bool is_conflict_area = false;  // post-encroachment times are measured here
  std::optional<double> limit_kmh{};
  size_t file_line = 0;
};

struct Lane {
  std::string name{};
  std::vector<PlanePoint> corners{};
  PlaneSegment direction{};  // traffic goes from its begin towards its end
  std::optional<double> limit_kmh{};
  size_t file_line = 0;
};

// A minor stream that gives way: who passes `line` in `direction` has waited for a gap among those
// who pass `conflict` in `conflict_direction`.
struct Entry {
  std::string line{}, conflict{};
  Direction direction = Direction::forward, conflict_direction = Direction::forward;
  size_t file_line = 0;
};

// A point that is known in the picture and on the ground.
struct GroundPoint {
  PlanePoint pixel{};  // of the key frame
  PlanePoint ground{};
  size_t file_line = 0;
};

struct CountLimits {
  size_t hold_frames = 3;             // in succession on each side of a line, or inside a zone
  double hold_distance = 0.0;         // reached on each side of a line, in the plane's unit
  double stopped_seconds = 5.0;       // a vehicle that stands as long is reported
  double incident_seconds = 1.0;      // wrong way and overspeed last at least as long
  double collision_seconds = 1.5;     // times to collision below it are conflicts
  double encroachment_seconds = 5.0;  // longer post-encroachment times are not reported
  double follow_up_seconds = 5.0;     // entries farther apart did not come from one queue
};

struct Site {
  std::string file{};  // its name, for error sentences
  SiteCoordinates coordinates = SiteCoordinates::pixels;
  std::vector<CountLine> lines{};
  std::vector<Zone> zones{};
  std::vector<Lane> lanes{};
  std::vector<Entry> entries{};
  std::vector<GroundPoint> ground_points{};
  bool ground_is_wgs84 = true;       // what GroundPoint::ground is; else local metres
  std::vector<std::string> gates{};  // names of lines and zones of the turning matrix
  CountLimits limits{};
};

// Errors, one sentence with file and line each: a name that is given twice, a line without length,
// a zone or lane that crosses itself or has no area, a lane's direction without length, an entry or
// gate that names nothing. Ground points are checked where they are used, by SitePlane.
Status check(const Site& site);

// An error sentence about a part of the site.
Error bad_site(const Site& site, size_t file_line, const std::string& what);

const std::string& direction_name(const CountLine& line, Direction direction);

// The gates of the turning matrix: as named, else all zones if there are two, else all lines.
std::vector<std::string> gates_of(const Site& site);

}  // namespace shingle::drone

// site.toml: lines, zones, lanes, entries and ground points, as people write them.
//
//   coordinates = "pixels"          # of the key frame; or "metres", "wgs84" (latitude, longitude)
//   gates = ["north", "south"]      # of the turning matrix (default: all zones, else all lines)
//   [[line]]
//   name = "north"
//   points = [[100, 200], [300, 200]]
//   forward = "in"                  # name of the direction from left to right
//   backward = "out"
//   [[zone]]
//   name = "junction"
//   points = [[0, 0], [400, 0], [400, 400], [0, 400]]
//   conflict = true                 # measure post-encroachment times
//   limit_kmh = 50
//   [[lane]]
//   name = "northbound"
//   points = [[0, 0], [10, 0], [10, 400], [0, 400]]
//   direction = [[5, 400], [5, 0]]
//   [[entry]]
//   line = "north"                  # who enters here gives way
//   direction = "forward"
//   conflict = "ring"               # to those who pass this line
//   conflict_direction = "forward"
//   [[ground_point]]
//   pixel = [412.5, 218.0]
//   wgs84 = [50.0755, 14.4378]      # or metres = [12.0, 31.5]
//   [limits]                        # CountLimits
//   hold_frames = 3
#pragma once

#include <string>
#include <string_view>

#include "apps/drone/count/site.hpp"

namespace shingle::drone {

// Errors, one sentence with file and line: what TOML does not allow, unknown keys, points that are
// none, and those of check().
Result<Site> parse_site(std::string_view text, const std::string& file);
Result<Site> load_site(const std::string& path);

}  // namespace shingle::drone

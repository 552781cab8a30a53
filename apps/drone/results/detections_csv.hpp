// detections.csv: a line for each box that a detector found of what is followed, before tracking.
//
//   frame,seconds,class,score,x,y,w,h,on_road
//
// x, y is the top left corner in pixels. on_road is 1 if the road's mask says that the box may be
// on road, and 0 if not: the tracker does not get such a box. It is empty without a road model.
// Lines come by frame. `shingle-drone export --format detections` writes a file for `shingle-drone
// track`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/drone/track/track.hpp"
#include "partition/base/result.hpp"

namespace shingle::drone {

struct FoundBox {
  DetectedBox box{};
  std::optional<bool> is_on_road{};
  friend bool operator==(const FoundBox&, const FoundBox&) = default;
};

inline constexpr const char* detections_header = "frame,seconds,class,score,x,y,w,h,on_road\n";
std::string detections_line(uint32_t frame, double seconds, const FoundBox& found);

struct FoundInFrame {
  uint32_t frame = 1;
  FoundBox found{};
};

// Reads what the writer wrote. Leaves out a last line without its newline. Errors name file and
// line: another header, a line that is no detection.
Result<std::vector<FoundInFrame>> read_detections(std::string_view text, const std::string& name);

}  // namespace shingle::drone

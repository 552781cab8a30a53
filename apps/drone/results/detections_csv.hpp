// detections.csv: a line for each box that a detector found of what is followed, before tracking.
//
//   frame,seconds,class,score,x,y,w,h,on_road
//
// x, y is the top left corner in pixels. on_road is 1 or 0 by the road's mask; 0 was not given to
// the tracker. It is empty where there is no mask. Lines come by frame. `shingle-drone export
// --format detections` makes of it what `shingle-drone track` reads.
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

// Reads what the writer wrote; a last line without its newline is left out. Errors name file and
// line: another header, a field that is no number.
Result<std::vector<FoundInFrame>> read_detections(std::string_view text, const std::string& name);

}  // namespace shingle::drone

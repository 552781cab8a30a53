// A frame of a run as a line for programs.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "apps/drone/count/sighting.hpp"

namespace shingle::drone {

struct FrameReport {
  uint32_t frame = 1;
  double seconds = 0.0;       // stream time
  double milliseconds = 0.0;  // that the cluster took
  bool is_late = false;       // it missed its deadline: nobody looked for vehicles in it
  bool knows_camera = false;  // where the picture lies in the key frame
  std::span<const Sighting> sightings{};
};

// {"frame":1,"seconds":0.0,"ms":81.2,"camera":true,"tracks":[..]}, the tracks as sighting_json()
// has them; with a deadline also "missed_deadline".
std::string frame_line(const FrameReport& report,
                       const std::function<std::string(int class_id)>& name_of);

}  // namespace shingle::drone

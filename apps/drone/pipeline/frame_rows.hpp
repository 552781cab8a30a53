// What a run's folder gets of one frame.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/drone/count/sighting.hpp"
#include "apps/drone/count/site_watch.hpp"
#include "apps/drone/results/detections_csv.hpp"
#include "apps/drone/track/camera_motion.hpp"

namespace shingle::drone {

struct FrameRows {
  uint32_t frame = 1;
  double seconds = 0.0;
  std::vector<Sighting> sightings{};  // all of this frame
  std::vector<FoundBox> found{};
  std::vector<SiteEvent> events{};     // that became known with it
  std::optional<Homography> to_key{};  // its pixels -> pixels of the key frame; none: unknown
  bool is_left_out = false;            // nobody looked at its picture
};

}  // namespace shingle::drone

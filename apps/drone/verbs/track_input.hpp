// What the verb `track` reads: detections by frame, and what else is known of the frames.
#pragma once

#include <map>
#include <vector>

#include "apps/drone/track/track.hpp"
#include "apps/drone/verbs/track_verb.hpp"
#include "partition/base/result.hpp"

namespace shingle::drone {

struct TrackInput {
  std::map<uint32_t, std::vector<DetectedBox>> frames{};  // that are looked at, in their order
  std::map<uint32_t, double> seconds{};                   // empty: frames are equally far apart
  std::map<uint32_t, Homography> motions{};
};

Result<TrackInput> read_track_input(const TrackVerbOptions& options);

}  // namespace shingle::drone

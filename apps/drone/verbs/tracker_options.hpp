// The tracker's options, the same for every verb that follows boxes.
#pragma once

#include "apps/drone/track/byte_tracker.hpp"

namespace CLI {
class App;
}

namespace shingle::drone {

struct TrackerVerbOptions {
  double high_score = 0.5, match_limit = 0.8, buffer_frames = 30.0;
  bool is_observation_centric = false, is_low_rate = false;
};
void describe(CLI::App& verb, TrackerVerbOptions& options);
ByteTrackOptions byte_track_options(const TrackerVerbOptions& options, double frames_per_second);

}  // namespace shingle::drone

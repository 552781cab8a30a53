// The verb `track`: detections in, tracks out; with pictures the camera's motion as well.
#pragma once

#include <string>

#include "apps/drone/verbs/place_options.hpp"
#include "apps/drone/verbs/tracker_options.hpp"

namespace CLI {
class App;
}

namespace shingle::drone {

struct TrackVerbOptions {
  std::string detections, out, run, camera_motion, video, times;
  double frames_per_second = 0.0;
  TrackerVerbOptions tracker;
  PlaceOptions places;  // of the run folder
  std::string size;     // of the picture, "1920x1080"; empty: not given
  bool leaves_scores_out = false;
  bool recovers_by_flow = false, finds_motion_by_boxes = false;
  bool json = false;
};
void describe(CLI::App& verb, TrackVerbOptions& options);
int run_verb(const TrackVerbOptions& options);

}  // namespace shingle::drone

#include "apps/drone/verbs/track_input.hpp"

#include "apps/drone/verbs/frame_files.hpp"
#include "apps/drone/verbs/input_file.hpp"

namespace shingle::drone {

Result<TrackInput> read_track_input(const TrackVerbOptions& options) {
  TrackInput input;
  const auto rows = read_boxes(options.detections);
  if (!rows) return rows.failure();
  if (!options.times.empty()) {
    auto times = read_times(options.times);
    if (!times) return times.failure();
    input.seconds = std::move(*times);
    for (const auto& [frame, time] : input.seconds) input.frames[frame];
  } else {
    for (const MotRow& row : *rows) input.frames[row.frame];
    const uint32_t last = input.frames.empty() ? 0 : input.frames.rbegin()->first;
    for (uint32_t frame = 1; frame <= last; ++frame) input.frames[frame];
  }
  if (!options.camera_motion.empty()) {
    auto motions = read_camera_motion(options.camera_motion);
    if (!motions) return motions.failure();
    input.motions = std::move(*motions);
  }
  for (const MotRow& row : *rows) {
    const auto frame = input.frames.find(row.frame);
    if (frame == input.frames.end())
      return bad_input("'" + options.detections + "' line " + std::to_string(row.line) +
                       " has the frame " + std::to_string(row.frame) + ", of which '" +
                       options.times + "' has no time");
    frame->second.push_back({row.box, row.score, row.class_id});
  }
  return input;
}

}  // namespace shingle::drone

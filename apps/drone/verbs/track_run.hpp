// The run folder of the verb `track`: what the tracker reports becomes sightings, by a flight log
// with places and speeds.
#pragma once

#include <optional>
#include <span>

#include "apps/drone/pipeline/late_writer.hpp"
#include "apps/drone/track/byte_tracker.hpp"
#include "apps/drone/verbs/track_verb.hpp"

namespace shingle::drone {

class TrackRun {
 public:
  // `lost_frames`: nominal frames that a track may be lost. Errors: a size that is none, those of
  // the flight log and its options, and those of RunWriter::begin().
  static Result<TrackRun> begin(const TrackVerbOptions& options, double lost_frames);

  // `to_key`: pixels of this frame -> pixels of the key frame; none: unknown.
  Status write(uint32_t frame, double seconds, const std::optional<Homography>& to_key,
               std::span<const TrackedBox> tracked, std::span<const DetectedBox> detections);
  // Writes what waits for hindsight. Also before a run is given up.
  Status flush() { return writer_.flush(ground()); }
  Status finish();

 private:
  TrackRun(RunWriter writer, std::optional<GroundReader> ground)
      : writer_(std::move(writer)), ground_(std::move(ground)) {}

  const GroundReader* ground() const { return ground_ ? &*ground_ : nullptr; }

  LateWriter writer_;
  std::optional<GroundReader> ground_;  // none: without a log
};

}  // namespace shingle::drone

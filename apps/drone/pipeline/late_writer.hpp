// LateWriter: writes a run's frames to its folder half a second late, so that boxes, places and
// speeds rest on what was seen before and after them.
//
//   live            . . . . . . . o
//   in the folder   . . . . o . . .
//
// The newest place of a track is the least certain one, because nothing after it is known. And a
// vehicle that nobody looked at for some pictures is known there once it is seen again, also in
// pictures that were left out.
//
// With a flight log, tracks are smoothed each `batch_seconds`, for all frames that have waited long
// enough. A killed program loses the frames that wait: 0.7 seconds, or the newest frame where
// frames are rarer.
#pragma once

#include <deque>
#include <span>
#include <utility>

#include "apps/drone/pipeline/frame_rows.hpp"
#include "apps/drone/pipeline/ground_reader.hpp"
#include "apps/drone/results/run_writer.hpp"

namespace shingle::drone {

inline constexpr double hindsight_seconds = 0.5, batch_seconds = 0.2;

class LateWriter {
 public:
  explicit LateWriter(RunWriter writer) : writer_(std::move(writer)) {}

  Status set_size(uint32_t width, uint32_t height) { return writer_.set_size(width, height); }

  // `ground`: has read these rows and those that wait; null: there is no log, and they have no
  // places. Errors: those of RunWriter::write(), also of frames that waited; then nothing waits any
  // more. A left out frame whose time does not grow is skipped.
  Status write(FrameRows rows, const GroundReader* ground);
  // What becomes known after the last frame.
  Status write(std::span<const SiteEvent> events);
  // Writes all that waits. `ground`: as in write().
  Status flush(const GroundReader* ground);
  // Ends all tracks and says that the run is complete. REQUIRES: nothing waits.
  Status finish() { return writer_.finish(); }

 private:
  Status settle(const GroundReader* ground, double until);

  RunWriter writer_;
  std::deque<FrameRows> waiting_{};
};

}  // namespace shingle::drone

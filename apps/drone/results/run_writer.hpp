// Writes a run folder while the run goes on:
//
//   run.json        what made the run; at its end with "complete": true
//   detections.csv  a line for each box that was found, before tracking
//   frames.csv      a line for each frame and track
//   tracks.csv      a line for each track, when it has ended
//   events.csv      seconds,frame,track,event,place,direction,kmh: begin and end of each track, and
//                   what happened at the site
//
// Each frame is handed to the system when it is written, and everything is synced to the disk each
// second of stream time. A killed program loses at most the frame in its hand, a machine without
// power at most a second; both lose what a LateWriter still holds, 0.7 seconds at most.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "apps/drone/count/site_watch.hpp"
#include "apps/drone/results/append_file.hpp"
#include "apps/drone/results/detections_csv.hpp"
#include "apps/drone/results/map_grid.hpp"
#include "apps/drone/results/run_info.hpp"
#include "apps/drone/results/track_summary.hpp"
#include "apps/drone/results/unused_folder.hpp"

namespace shingle::drone {

inline constexpr double sync_seconds = 1.0;

// When a track that is not seen has ended: a second later than the tracker may lose it, since times
// of frames differ from nominal ones.
inline double track_end_seconds(double lost_frames, double frames_per_second) {
  return lost_frames / frames_per_second + 1.0;
}

class RunWriter {
 public:
  // `track_end_seconds`: a track that was not seen for longer has ended. Makes the folder; if no
  // frame is written and the run is not finished, its files are removed again. Errors: the folder
  // has a run already; it cannot be written; a map grid that is none.
  static Result<RunWriter> begin(const std::string& folder, const RunInfo& info,
                                 double track_end_seconds);

  // Of the pictures, once it is known: run.json has it from then on.
  Status set_size(uint32_t width, uint32_t height);

  // The tracks of one frame, all with its number and time, and the boxes that were found in it;
  // also frames without tracks. Errors: the frame is not after the one before; a place outside of
  // the map grid; the disk is full. After an error nothing more is written.
  Status write(uint32_t frame, double seconds, std::span<const Sighting> sightings,
               std::span<const FoundBox> detections = {});

  // What happened at the site, as it becomes known.
  Status write(std::span<const SiteEvent> events);

  // Ends all tracks and says that the run is complete.
  Status finish();

 private:
  struct Files {
    AppendFile frames, tracks, events, detections;
  };
  RunWriter(std::string folder, RunInfo info, double track_end_seconds, std::optional<MapGrid> grid,
            Files files)
      : folder_(std::move(folder)),
        info_(std::move(info)),
        track_end_seconds_(track_end_seconds),
        grid_(std::move(grid)),
        files_(std::move(files)) {}
  Status end_tracks(double unseen_since);
  Status sync();
  Result<std::string> line_of(const Sighting& sighting) const;
  void use_folder();

  std::string folder_;
  RunInfo info_;
  double track_end_seconds_;
  std::optional<MapGrid> grid_;
  std::unique_ptr<UnusedFolder> unused_{};  // null: a frame was written
  Files files_;
  std::map<int64_t, TrackSummary> open_{};
  uint32_t frames_ = 0, last_frame_ = 0;
  double last_seconds_ = 0.0, synced_seconds_ = 0.0;
};

}  // namespace shingle::drone

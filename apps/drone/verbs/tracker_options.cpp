#include "apps/drone/verbs/tracker_options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>

#include "apps/drone/boxes/number_lines.hpp"

namespace shingle::drone {

// Straight on for so long a vehicle is still within its own length, also where it turns.
constexpr double coast_seconds = 0.5;

void describe(CLI::App& verb, TrackerVerbOptions& options) {
  verb.add_option("--high", options.high_score,
                  "boxes with a higher score are matched first (default: " +
                      as_written(options.high_score) + ")")
      ->type_name("SCORE")
      ->check(CLI::Range(0.1, 1.0));
  verb.add_option("--match", options.match_limit,
                  "most cost (1 - overlap) of a first match (default: 0.8)")
      ->type_name("COST")
      ->check(CLI::Range(0.0, 1.0));
  verb.add_option("--buffer", options.buffer_frames,
                  "frames that a track may be lost, at 30 a second (default: 30)")
      ->type_name("N")
      ->check(CLI::Range(0.0, 100000.0));
  verb.add_flag("--observation-centric", options.is_observation_centric,
                "OC-SORT: momentum, recovery by the last box seen, re-update after a gap");
  verb.add_flag("--low-rate", options.is_low_rate,
                "looks are so far apart that boxes of a fast vehicle do not meet: find the second "
                "one by how its neighbours move");
}

ByteTrackOptions byte_track_options(const TrackerVerbOptions& options, double frames_per_second) {
  // The authors' buffer is meant for 30 frames a second.
  return {.high_score = options.high_score,
          .match_limit = options.match_limit,
          .lost_frames = std::floor(frames_per_second / 30.0 * options.buffer_frames),
          .coast_frames = coast_seconds * frames_per_second,
          .is_observation_centric = options.is_observation_centric,
          .finds_first_steps = options.is_low_rate};
}

}  // namespace shingle::drone

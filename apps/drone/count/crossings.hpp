// Who passes a line, and how closely vehicles follow each other there.
//
//        held on the left          held on the right
//   - - o---o---o---o--o | o--o---o---o---o - ->        one crossing, where the path meets the line
//                      ^flicker^
//
// A crossing needs both sides held: hold_frames sightings in succession on each side, of which one
// reaches hold_distance. What happens between two held sides counts once or not at all: flicker on
// the line, a gap in the track over the line. The path from the last sighting of the one held side
// to the first of the other must meet the line between its two ends; who drives around an end does
// not cross.
#pragma once

#include <span>

#include "apps/drone/count/path.hpp"

namespace shingle::drone {

// Times of a vehicle at a line, by stream time. The front passes half a length before the centre
// does, the rear half a length after it. Headway and gap: Highway Capacity Manual, 7th edition
// (2022), chapter 4: headway is the time between the fronts of successive vehicles at a point; gap
// is the time from the rear of the one ahead to the front of the one behind.
struct Crossing {
  size_t line = 0;  // index in Site::lines
  int64_t track = 0;
  int class_id = -1;
  Direction direction = Direction::forward;
  double seconds = 0.0;                                    // of its centre
  std::optional<double> front_seconds{}, rear_seconds{};   // empty: size or speed not known
  std::optional<double> headway_seconds{}, gap_seconds{};  // behind the one before, same direction
  // The headway is from centre to centre, because a front is not known.
  bool headway_is_of_centres = false;
};

// The crossings of one path, by time, without headways. `right_is_positive`: in a plane whose y
// points down, signed_distance() is positive on the right.
std::vector<Crossing> crossings_of(const Path& path, size_t line_index, const CountLine& line,
                                   const CountLimits& limits, bool right_is_positive);

// All crossings of a site, by line, time and track, with headways and gaps. The vehicle before is
// the one that crossed the same line in the same direction; draw a line for each lane to have the
// headways of a lane.
std::vector<Crossing> all_crossings(std::span<const Path> paths, const Site& site,
                                    bool right_is_positive);

}  // namespace shingle::drone

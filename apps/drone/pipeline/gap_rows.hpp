// Where a track was while nobody looked at its place, once it is seen again.
//
//   frame     1      2          3           4          5
//   before    seen   predicted  left out    predicted  seen
//   after     seen   between    between     between    seen
//   box       [ ]- - [ ]- - - - [ ]- - - - -[ ]- - - - [ ]     on a straight line, by time
//
// The line is one on the ground: in the key frame, where the frames' motion is known, so that a
// camera may shake. A prediction knows only what was seen before it. A frame whose picture was left
// out has no predictions at all.
#pragma once

#include <deque>

#include "apps/drone/pipeline/frame_rows.hpp"

namespace shingle::drone {

// Moves predicted boxes of `earlier` onto the lines that end at the sightings of `now`, and adds
// boxes to frames that were left out. These rows have the score 0 and no place on the ground. A
// track that was looked for and not found ends the gap: nothing is known of it then. REQUIRES:
// `earlier` are by growing time, before `now`.
void fill_gaps(std::deque<FrameRows>& earlier, const FrameRows& now);

}  // namespace shingle::drone

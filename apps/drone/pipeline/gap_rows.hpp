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

// Moves the predicted boxes of `earlier` to where the sightings of `now` say that they were, and
// adds those of left out frames; both keep the score 0, and their places on the ground become
// unknown. A track that was looked for and not found ends the gap: nothing is known of it then.
// REQUIRES: `earlier` are by growing time, before `now`.
void fill_gaps(std::deque<FrameRows>& earlier, const FrameRows& now);

}  // namespace shingle::drone

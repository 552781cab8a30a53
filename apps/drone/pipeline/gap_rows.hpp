// Where a track was while nobody looked at its place, once it is seen again.
//
//   frame     1      2          3           4          5
//   before    seen   predicted  left out    predicted  seen
//   after     seen   between    between     between    seen
//   box       [ ]- - [ ]- - - - [ ]- - - - -[ ]- - - - [ ]     on a straight line, by time
//
// A prediction knows only what was seen before it. A frame whose picture was left out has no
// predictions at all.
#pragma once

#include <deque>
#include <vector>

#include "apps/drone/pipeline/frame_rows.hpp"

namespace shingle::drone {

// The frames between two that follow each other, by equal steps of time. Empty: there are none, or
// more than `maximum_seconds` lie between the two.
std::vector<FrameRows> left_out_between(const FrameRows& before, const FrameRows& after,
                                        double maximum_seconds);

// Moves the predicted boxes of `earlier` to where the sightings of `now` say that they were, and
// adds those of left out frames; both keep the score 0. Added rows have no places on the ground. A
// track that was looked for and not found ends the gap: nothing is known of it then. REQUIRES:
// `earlier` are by growing time, before `now`.
void fill_gaps(std::deque<FrameRows>& earlier, const FrameRows& now);

}  // namespace shingle::drone

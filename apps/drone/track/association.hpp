// What it costs to give a detection to a track: 0 for the same box, 1 where they do not meet.
#pragma once

#include <span>

#include "apps/drone/boxes/matrix.hpp"
#include "apps/drone/track/track.hpp"

namespace shingle::drone {

using Tracks = std::span<Track* const>;                  // rows
using Detections = std::span<const DetectedBox* const>;  // columns

// 1 - overlap of the box that the filter predicts, or of the box that was last seen.
Matrix costs_of_predicted(Tracks tracks, Detections detections);
Matrix costs_of_last_seen(Tracks tracks, Detections detections);

// Cost 1 - overlap * score: sure detections are given away first.
void fuse_scores(Matrix& costs, Detections detections);

// Makes pairs cheaper that go on in the track's direction, and others dearer (OC-SORT's momentum).
void add_momentum(Matrix& costs, Tracks tracks, Detections detections, double now);

}  // namespace shingle::drone

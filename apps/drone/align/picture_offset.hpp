// Where a video lies in its flight log, found by how the pictures moved.
//
//   log       view at each sample -> motion of the picture between samples -> rates
//   pictures  homography from picture to picture                           -> rates
//             the offset at which both sets of rates are most alike (offset_by_motion); where the
//             log has a sample for each picture, then that at which the motions themselves agree
//
// Where the log knows no field of view or height, its yaw rate is held against the picture's turn
// and its speed over ground against the picture's, for a camera that looks down.
#pragma once

#include <span>

#include "apps/drone/align/log_view.hpp"
#include "apps/drone/align/motion_rates.hpp"
#include "apps/drone/logs/offset.hpp"

namespace shingle::drone {

// Steps are in the video's time, in their order. Errors: those of offset_by_motion.
Result<FoundOffset> offset_by_pictures(const Flight& flight, std::span<const PictureStep> steps,
                                       const ViewOptions& options, const OffsetSearch& search = {});

// The motions of the picture between the log's samples, in the log's time; samples without a view,
// and gaps of more than a second, have none.
std::vector<PictureStep> steps_of(const Flight& flight, const ViewOptions& options);

}  // namespace shingle::drone

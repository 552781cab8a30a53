// What the flow of points since the frame before makes of a frame's detections: vehicles that the
// detector missed are found again, and boxes that do not move with a vehicle are rejected.
//
//   box of a track            o--->  its points go on: the vehicle was missed, it is here
//                             o      they stay on the ground while the vehicle moved: it has left
//                                    them, and the box is not followed any more
//   weak box of the detector         where a vehicle was, while the flow says where it went: it
//                                    shows no vehicle, and would hold the track back
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "apps/drone/motion/box_flow.hpp"
#include "apps/drone/track/byte_tracker.hpp"

namespace shingle::drone {

struct FlowStep {  // since the frame before
  // How the ground moved in the pictures. None: unknown; then nothing is rejected.
  std::optional<Homography> ground{};
  double steps = 1.0;  // nominal frames
};

struct FlowResult {
  std::vector<DetectedBox> detections{};  // for the tracker
  // Of these, vehicles that were missed: the last ones. Their score is low: it keeps a track and
  // begins none.
  size_t recovered = 0;
  size_t rejected = 0;  // weak detections, and boxes of tracks that stayed on the ground
};

class FlowRecovery {
 public:
  // `followed` is where `tracked`, the tracks of the frame before, are now; empty: not known. A
  // track is carried over ten frames in a row at most, since its points may slide onto the road.
  // REQUIRES: `followed` is empty or as long as `tracked`.
  FlowResult look(std::span<const FollowedBox> followed, std::span<const TrackedBox> tracked,
                  std::span<const DetectedBox> detections, const ByteTrackOptions& options,
                  const FlowStep& step);

 private:
  struct Shift {
    double x = 0.0, y = 0.0;
  };
  struct Known {
    PixelBox box{};        // in the frame before
    uint32_t carried = 0;  // frames in a row
    uint32_t moves = 0;    // of which `velocity` was made
    Shift velocity{};      // over the ground, pixels in a nominal frame
  };
  void learn(std::span<const TrackedBox> tracked);
  bool stays_on_ground(const FollowedBox& followed, const TrackedBox& track,
                       const FlowStep& step) const;

  std::map<int64_t, Known> known_{};  // by track
  FlowStep before_{};                 // of the last call
};

}  // namespace shingle::drone

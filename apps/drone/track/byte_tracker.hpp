// ByteTrack: follows objects from frame to frame by their boxes alone. Detections with a high score
// are given to tracks first; those with a low score then go to the tracks that are left, so that an
// object that is half hidden keeps its track, and a false box begins none.
//
// A frame, in this order:
//   1. all confirmed and lost tracks are predicted; with finds_camera_motion all are then moved by
//      what the boxes seen have in common against those predicted
//   2. high detections <-> these tracks, by overlap (times the detection's score: fuse_scores)
//   3. low detections <-> tracks that were seen in the frame before and are still without one
//   4. high detections that are left <-> tracks that began in the frame before (not confirmed yet)
//   5. what is left of those tracks is removed, what is left of the others is lost; high detections
//      that are left begin tracks
//   6. tracks that are lost for too long are removed; of a tracked and a lost track at the same
//      place the younger one is removed
// Source: Zhang et al. 2022 (arXiv:2110.06864). With the defaults it gives the ids and boxes of the
// authors' program. Three rules may surprise, and are kept as they are there: a track that begins
// later than in the first frame is reported only from its second frame on, an unconfirmed track is
// not predicted, and a removed one may be found again in the next frame, but is then not kept when
// it is lost once more.
//
// Of a frame only parts may have been looked at, or nothing (`FrameStep::looked`). A track
// elsewhere is neither seen nor missed: it goes on as predicted, and is reported so, for
// `coast_frames` at most; one that was seen once waits for its second box as long, and is then
// found by where it may have gone (first_steps.hpp).
//
// With `finds_first_steps` tracks that were seen once are matched in step 4 alone, those of the
// first frame too, by where they may have gone (first_steps.hpp); they are predicted, so that their
// second box gives them a speed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "apps/drone/boxes/matrix.hpp"
#include "apps/drone/track/first_steps.hpp"
#include "apps/drone/track/track.hpp"

namespace shingle::drone {

struct ByteTrackOptions {
  double high_score = 0.5;     // detections above it are high; between `low_score` and it, low
  double low_score = 0.1;      // detections from here down are not looked at
  double begin_margin = 0.1;   // a track begins with a score of high_score + begin_margin
  double match_limit = 0.8;    // most cost (1 - overlap) of a pair in step 2
  double lost_frames = 30.0;   // nominal frames that a track may be lost
  double coast_frames = 15.0;  // nominal frames that it goes on where nobody looks
  bool fuse_scores = true;     // steps 2 and 4; the authors switch it off for MOT20
  bool is_observation_centric = false;  // OC-SORT: momentum in step 2, recovery after step 3 by the
                                        // last seen box, re-update when a lost track is found
  bool finds_camera_motion = false;     // by boxes (motion_from_boxes), in frames that tell none
  bool finds_first_steps = false;       // looks are far apart: vehicles move more than their length
};

// What is known of a frame beside its detections.
struct FrameStep {
  double steps = 1.0;                         // nominal frames since the frame before; above 0
  std::optional<Homography> camera_motion{};  // since the frame before; none: it stood still, or
                                              // is found by boxes
  std::optional<std::span<const PixelBox>> looked{};  // parts that were looked at; none: all
};

struct TrackedBox {
  int64_t id = 0;  // from 1 on
  PixelBox box;    // the filter's, not the detection's
  double score = 0.0;
  int class_id = -1;
  bool is_predicted = false;  // nobody looked at its place in this frame
};

class ByteTracker {
 public:
  explicit ByteTracker(const ByteTrackOptions& options) : options_(options) {}

  // The confirmed tracks that were seen in this frame, and those whose places nobody looked at. A
  // frame without detections is a frame too.
  std::vector<TrackedBox> step(std::span<const DetectedBox> detections,
                               const FrameStep& frame = {});

  // Tracks that have begun and wait for a second box.
  std::vector<TrackedBox> unconfirmed() const;

  int64_t tracks_begun() const { return next_id_ - 1; }

 private:
  struct Frame;
  bool is_new(const Track& track) const;
  bool goes_on_unseen(const Track& track, const FrameStep& step) const;
  void match_high(Frame& frame);
  void match_low(Frame& frame);
  void recover(Frame& frame);
  void match_unconfirmed(Frame& frame, const FrameStep& step);
  std::vector<KnownStep> known_steps(double since) const;
  double unconfirmed_limit() const;
  bool may_be_far(const Track& track, double steps) const;
  Matrix costs_of_unconfirmed(const Frame& frame, double steps) const;
  void begin_tracks(Frame& frame);
  void update_lists(Frame& frame);
  void begin_frame(const FrameStep& frame);
  void find_camera_motion(const Frame& frame);
  void move_all(const Homography& motion);
  void drop_duplicates();

  ByteTrackOptions options_;
  Moment now_{};
  int64_t next_id_ = 1;
  std::vector<Track> tracked_{};  // confirmed or not
  std::vector<Track> lost_{};     // and those removed in this frame, which leave in the next one
};

}  // namespace shingle::drone

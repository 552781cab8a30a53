#include "apps/drone/track/byte_tracker.hpp"

#include <algorithm>
#include <cassert>

#include "apps/drone/boxes/assignment.hpp"
#include "apps/drone/boxes/middle.hpp"
#include "apps/drone/track/association.hpp"
#include "apps/drone/track/first_steps.hpp"
#include "apps/drone/track/motion_from_boxes.hpp"

namespace shingle::drone {
namespace {

constexpr double low_match_limit = 0.5, unconfirmed_match_limit = 0.7;
constexpr double first_step_limit = 0.95;  // both guesses are wide: any overlap of 1 in 20 counts
constexpr double recovery_match_limit = 0.7;  // OC-SORT: an overlap of 0.3
constexpr double duplicate_cost = 0.15;       // boxes that are closer are one object

// What `taken` has not.
template <class Item>
std::vector<Item> left_of(const std::vector<Item>& items, const std::vector<bool>& taken) {
  std::vector<Item> left;
  for (size_t index = 0; index < items.size(); ++index)
    if (!taken[index]) left.push_back(items[index]);
  return left;
}

}  // namespace

// Tracks and detections that nothing was done with yet.
struct ByteTracker::Frame {
  std::vector<Track*> open{};  // confirmed and lost ones
  std::vector<Track*> unconfirmed{};
  std::vector<const DetectedBox*> high{}, low{};
  std::vector<Track*> newly_lost{}, found_again{};  // in the order in which it happened
  std::vector<Track> begun{};

  // Gives the detections of the cheapest pairs to the tracks; both lists keep what is left.
  void give(std::vector<Track*>& tracks, std::vector<const DetectedBox*>& detections,
            const Matrix& costs, double limit, Moment now, bool is_recovery) {
    std::vector<bool> track_taken(tracks.size()), detection_taken(detections.size());
    for (const Pair& pair : cheapest_pairs(costs, limit)) {
      Track& track = *tracks[pair.row];
      if (track.status() != TrackStatus::tracked) found_again.push_back(&track);
      track.see(*detections[pair.column], now, is_recovery);
      track_taken[pair.row] = detection_taken[pair.column] = true;
    }
    tracks = left_of(tracks, track_taken);
    detections = left_of(detections, detection_taken);
  }
};

std::vector<TrackedBox> ByteTracker::step(std::span<const DetectedBox> detections,
                                          const FrameStep& step) {
  begin_frame(step);
  Frame frame;
  for (const DetectedBox& detection : detections) {
    assert(detection.box.w > 0.0 && detection.box.h > 0.0);
    if (detection.score > options_.high_score) frame.high.push_back(&detection);
    if (detection.score > options_.low_score && detection.score < options_.high_score)
      frame.low.push_back(&detection);
  }
  for (Track& track : tracked_) (is_new(track) ? frame.unconfirmed : frame.open).push_back(&track);
  for (Track& track : lost_) frame.open.push_back(&track);

  for (Track* track : frame.open) track->predict(step.steps);
  for (Track* track : frame.unconfirmed)
    if (may_be_far(*track, step.steps)) track->predict(step.steps);
  if (options_.finds_camera_motion && !step.camera_motion) find_camera_motion(frame);
  match_high(frame);
  match_low(frame);
  if (options_.is_observation_centric) recover(frame);
  for (Track* track : frame.open)
    if (track->status() == TrackStatus::tracked && !goes_on_unseen(*track, step)) {
      track->lose();
      frame.newly_lost.push_back(track);
    }
  match_unconfirmed(frame, step);
  begin_tracks(frame);
  update_lists(frame);
  drop_duplicates();

  std::vector<TrackedBox> seen;
  for (const Track& track : tracked_)
    if (track.is_confirmed())
      seen.push_back({track.id(), track.box(), track.score(), track.class_id(),
                      track.unseen_since() < now_.time});
  return seen;
}

std::vector<TrackedBox> ByteTracker::unconfirmed() const {
  std::vector<TrackedBox> all;
  for (const Track& track : tracked_)
    if (!track.is_confirmed())
      all.push_back({track.id(), track.box(), track.score(), track.class_id()});
  return all;
}

bool ByteTracker::goes_on_unseen(const Track& track, const FrameStep& step) const {
  if (!step.looked || now_.time - track.unseen_since() > options_.coast_frames) return false;
  return std::none_of(step.looked->begin(), step.looked->end(),
                      [&](const PixelBox& part) { return holds_middle(part, track.box()); });
}

bool ByteTracker::is_new(const Track& track) const {
  return !track.is_confirmed() || (options_.finds_first_steps && track.was_seen_once());
}

void ByteTracker::begin_frame(const FrameStep& step) {
  assert(step.steps > 0.0);
  ++now_.frame;
  now_.time += step.steps;
  if (step.camera_motion) move_all(*step.camera_motion);
}

// Predicted tracks are where they would be if the camera went on as before: what is found is only
// the change.
void ByteTracker::find_camera_motion(const Frame& frame) {
  std::vector<PixelBox> expected, seen;
  for (const std::vector<Track*>* tracks : {&frame.open, &frame.unconfirmed})
    for (const Track* track : *tracks)
      if (track->status() == TrackStatus::tracked) expected.push_back(track->box());
  for (const DetectedBox* detection : frame.high) seen.push_back(detection->box);
  if (const auto motion = motion_from_boxes(expected, seen)) move_all(*motion);
}

void ByteTracker::move_all(const Homography& motion) {
  for (std::vector<Track>* tracks : {&tracked_, &lost_})
    for (Track& track : *tracks) track.move(motion);
}

void ByteTracker::match_high(Frame& frame) {
  Matrix costs = costs_of_predicted(frame.open, frame.high);
  if (options_.fuse_scores) fuse_scores(costs, frame.high);
  if (options_.is_observation_centric) add_momentum(costs, frame.open, frame.high, now_.time);
  frame.give(frame.open, frame.high, costs, options_.match_limit, now_,
             options_.is_observation_centric);
}

void ByteTracker::match_low(Frame& frame) {
  std::vector<Track*> seen_before;
  for (Track* track : frame.open)
    if (track->status() == TrackStatus::tracked) seen_before.push_back(track);
  const Matrix costs = costs_of_predicted(seen_before, frame.low);
  frame.give(seen_before, frame.low, costs, low_match_limit, now_, false);
  const auto is_given = [&](Track* track) {
    return track->status() == TrackStatus::tracked &&
           std::find(seen_before.begin(), seen_before.end(), track) == seen_before.end();
  };
  std::erase_if(frame.open, is_given);
}

void ByteTracker::recover(Frame& frame) {
  const Matrix costs = costs_of_last_seen(frame.open, frame.high);
  frame.give(frame.open, frame.high, costs, recovery_match_limit, now_, true);
}

// Returns how the vehicles that were seen in this frame have moved since that time.
std::vector<KnownStep> ByteTracker::known_steps(double since) const {
  std::vector<KnownStep> known;
  for (const Track& track : tracked_)
    if (!track.was_seen_once() && track.unseen_since() == now_.time)
      known.push_back({track.box(), track.velocity() * (now_.time - since)});
  return known;
}

// It has waited for its second box. (Times are sums of steps.)
bool ByteTracker::may_be_far(const Track& track, double steps) const {
  return options_.finds_first_steps || now_.time - track.unseen_since() > 1.001 * steps;
}

// One that has waited may have gone farther than its own length. What such a pair may cost at most
// is made equal to the limit of the others.
Matrix ByteTracker::costs_of_unconfirmed(const Frame& frame, double steps) const {
  Matrix costs = costs_of_predicted(frame.unconfirmed, frame.high);
  for (size_t row = 0; row < frame.unconfirmed.size(); ++row) {
    const Track& track = *frame.unconfirmed[row];
    if (!may_be_far(track, steps)) continue;
    const Matrix far = costs_of_first_steps(std::span(&frame.unconfirmed[row], 1), frame.high,
                                            known_steps(track.unseen_since()));
    for (size_t column = 0; column < frame.high.size(); ++column)
      costs.at(row, column) = far.at(0, column) * unconfirmed_limit() / first_step_limit;
  }
  return costs;
}

double ByteTracker::unconfirmed_limit() const {
  return options_.finds_first_steps ? first_step_limit : unconfirmed_match_limit;
}

void ByteTracker::match_unconfirmed(Frame& frame, const FrameStep& step) {
  Matrix costs = costs_of_unconfirmed(frame, step.steps);
  if (options_.fuse_scores) fuse_scores(costs, frame.high);
  frame.give(frame.unconfirmed, frame.high, costs, unconfirmed_limit(), now_, false);
  for (Track* track : frame.unconfirmed)
    if (!goes_on_unseen(*track, step))
      track->remove(now_);
    else if (!may_be_far(*track, step.steps))
      track->predict(step.steps);  // from now on it may be
}

void ByteTracker::begin_tracks(Frame& frame) {
  for (const DetectedBox* detection : frame.high)
    if (detection->score >= options_.high_score + options_.begin_margin)
      frame.begun.emplace_back(next_id_++, *detection, now_, now_.frame == 1);
}

// The order of the lists is the authors': equal costs are settled by it.
void ByteTracker::update_lists(Frame& frame) {
  for (Track& track : lost_)
    if (now_.time - track.unseen_since() > options_.lost_frames &&
        track.status() != TrackStatus::tracked)
      track.remove(now_);

  std::vector<Track> tracked, lost;
  for (Track& track : tracked_)
    if (track.status() == TrackStatus::tracked) tracked.push_back(track);
  for (Track& track : frame.begun) tracked.push_back(track);
  for (const Track* track : frame.found_again) tracked.push_back(*track);
  for (Track& track : lost_)
    if (track.status() != TrackStatus::tracked) lost.push_back(track);
  for (const Track* track : frame.newly_lost) lost.push_back(*track);
  std::erase_if(lost, [&](const Track& track) { return track.was_removed_before(now_); });
  tracked_ = std::move(tracked);
  lost_ = std::move(lost);
}

void ByteTracker::drop_duplicates() {
  std::vector<bool> tracked_goes(tracked_.size()), lost_goes(lost_.size());
  for (size_t a = 0; a < tracked_.size(); ++a)
    for (size_t b = 0; b < lost_.size(); ++b) {
      if (1.0 - overlap_of_inclusive(tracked_[a].box(), lost_[b].box()) >= duplicate_cost) continue;
      if (tracked_[a].age() > lost_[b].age())
        lost_goes[b] = true;
      else
        tracked_goes[a] = true;
    }
  tracked_ = left_of(tracked_, tracked_goes);
  lost_ = left_of(lost_, lost_goes);
}

}  // namespace shingle::drone

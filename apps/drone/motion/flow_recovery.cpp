#include "apps/drone/motion/flow_recovery.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace shingle::drone {
namespace {

constexpr uint32_t most_carried = 10;
constexpr double is_there = 0.3, is_elsewhere = 0.1;  // overlaps
// A vehicle that moves: in three frames, by so many pixels and so much of its longer side in each.
constexpr uint32_t fewest_moves = 3;
constexpr double least_pixels = 1.0, least_of_side = 0.02;
constexpr double most_of_velocity = 0.3;  // that points on the ground may seem to have of it
constexpr double newest_share = 0.5;      // of the smoothed velocity

Eigen::Vector2d middle_of(const PixelBox& box) {
  return {box.x + box.w / 2.0, box.y + box.h / 2.0};
}

// How far the middle went beyond what the ground did. None: the ground's motion leads it nowhere.
std::optional<Eigen::Vector2d> over_ground(const PixelBox& before, const PixelBox& now,
                                           const Homography& ground) {
  if (!can_move(ground, before)) return std::nullopt;
  return middle_of(now) - middle_of(moved(before, ground));
}

bool is_seen(const PixelBox& box, std::span<const DetectedBox> detections, double low_score) {
  return std::ranges::any_of(detections, [&](const DetectedBox& detection) {
    return detection.score > low_score && overlap(box, detection.box) >= is_there;
  });
}

// Where a vehicle was, while the flow says where it went, and no vehicle may be here now.
bool is_left_behind(const DetectedBox& detection, std::span<const FollowedBox> followed,
                    std::span<const TrackedBox> tracked, const Homography& ground) {
  bool was_here = false;
  for (size_t i = 0; i < followed.size(); ++i) {
    const double now = overlap(followed[i].box, detection.box);
    if (now >= is_elsewhere) return false;
    if (!can_move(ground, tracked[i].box)) continue;
    if (overlap(moved(tracked[i].box, ground), detection.box) < is_there) continue;
    if (!followed[i].is_certain()) return false;
    was_here = true;
  }
  return was_here;
}

}  // namespace

FlowResult FlowRecovery::look(std::span<const FollowedBox> followed,
                              std::span<const TrackedBox> tracked,
                              std::span<const DetectedBox> detections,
                              const ByteTrackOptions& options, const FlowStep& step) {
  assert(followed.empty() || followed.size() == tracked.size());
  assert(step.steps > 0.0);
  learn(tracked);
  FlowResult result;
  for (const DetectedBox& each : detections)
    if (each.score <= options.high_score && step.ground &&
        is_left_behind(each, followed, tracked, *step.ground))
      ++result.rejected;
    else
      result.detections.push_back(each);
  const double score = (options.low_score + options.high_score) / 2.0;
  for (size_t i = 0; i < followed.size(); ++i) {
    const TrackedBox& track = tracked[i];
    Known& known = known_.at(track.id);
    const uint32_t carried = std::exchange(known.carried, 0);
    if (!followed[i].is_certain() || is_seen(followed[i].box, detections, options.low_score))
      continue;
    if (stays_on_ground(followed[i], track, step)) {
      ++result.rejected;
      continue;
    }
    if (carried == most_carried) continue;
    known.carried = carried + 1;
    result.detections.push_back({followed[i].box, score, track.class_id});
    ++result.recovered;
  }
  before_ = step;
  return result;
}

// How the tracks moved from the frame before the last one to the last one. Boxes that were carried
// tell nothing: they went where the points did.
void FlowRecovery::learn(std::span<const TrackedBox> tracked) {
  std::map<int64_t, Known> known;
  for (const TrackedBox& track : tracked) {
    Known& now = known[track.id];
    if (const auto found = known_.find(track.id); found != known_.end()) {
      now = found->second;
      const auto shift = before_.ground && now.carried == 0
                             ? over_ground(now.box, track.box, *before_.ground)
                             : std::nullopt;
      if (shift) {
        const double share = now.moves == 0 ? 1.0 : newest_share;
        now.velocity.x += share * (shift->x() / before_.steps - now.velocity.x);
        now.velocity.y += share * (shift->y() / before_.steps - now.velocity.y);
        ++now.moves;
      }
    }
    now.box = track.box;
  }
  known_ = std::move(known);
}

bool FlowRecovery::stays_on_ground(const FollowedBox& followed, const TrackedBox& track,
                                   const FlowStep& step) const {
  const Known& known = known_.at(track.id);
  const double longer_side = std::max(track.box.w, track.box.h);
  const double speed = std::hypot(known.velocity.x, known.velocity.y);
  if (known.moves < fewest_moves || speed < std::max(least_pixels, least_of_side * longer_side))
    return false;
  const auto shift =
      step.ground ? over_ground(track.box, followed.box, *step.ground) : std::nullopt;
  if (!shift) return false;
  const double along = (shift->x() * known.velocity.x + shift->y() * known.velocity.y) / speed;
  return along < most_of_velocity * speed * step.steps;
}

}  // namespace shingle::drone

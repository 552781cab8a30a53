#include "sim/experiment/frame_follower.hpp"

#include <utility>

namespace shingle::sim {

void FrameFollower::expect(Expected frame) {
  captured_.reset();
  expected_ = std::move(frame);
}

std::optional<FrameKey> FrameFollower::take_captured() {
  expected_.reset();
  return std::exchange(captured_, std::nullopt);
}

CauseTimes FrameFollower::causes_of(const FrameKey& key) const {
  const auto finished = finished_.find(key);
  return finished == finished_.end() ? CauseTimes{} : finished->second;
}

void FrameFollower::on(const TraceEvent& event) {
  if (event.key == FrameKey{}) return;
  FrameKey key = event.key;
  key.attempt = 0;
  if (event.kind == TraceEvent::Kind::captured && expected_) {
    auto& plan = plans_[expected_->plan->hash];
    if (plan == nullptr) plan = std::make_shared<const PathPlan>(expected_->plan);
    captured_ = key;
    open_.emplace(key, FramePath(plan, expected_->owner, expected_->since, event.at));
    return;
  }
  const auto frame = open_.find(key);
  if (frame == open_.end()) return;
  if (event.kind == TraceEvent::Kind::delivered) {
    finished_[key] = frame->second.causes(event.at, [this](NodeId from, NodeId to, int64_t bytes) {
      return alone_(from, to, bytes);
    });
    open_.erase(frame);
  } else if (event.kind == TraceEvent::Kind::reported && facts_of(event.report).ends_frame) {
    open_.erase(frame);
  } else {
    frame->second.on(event);
  }
}

}  // namespace shingle::sim

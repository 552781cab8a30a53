// Slots of frames at this home: who gets the next one, and when it is free again.
#include <algorithm>
#include <cassert>

#include "runtime/node/tiles/home_frames.hpp"

namespace shingle {

// The limit keeps sums of times in range.
Time deadline_in(Time now, Duration time_left) {
  return now + std::clamp<Duration>(time_left, Duration::zero(), no_deadline);
}

bool HomeFrames::has_request_of(NodeId owner) const {
  return std::any_of(requests_.begin(), requests_.end(),
                     [&](const SlotRequest& request) { return request.key.owner == owner; });
}

void HomeFrames::open(NodeId from, const FrameOpen& open) {
  if (plans_.known(open.plan) == nullptr)  // given up between offer and opening
    return effects_.send(from, not_now(open.plan, "it no longer holds the plan"));
  assert(find(open.key) == nullptr);
  requests_.push_back({.key = open.key,
                       .plan = open.plan,
                       .deadline = deadline_in(effects_.now(), open.time_left),
                       .due = open.time_left < no_deadline / 2,
                       .audits = open.audits,
                       .excluded = open.excluded});
  grant_slots();
}

void HomeFrames::grant_slots() {
  while (!requests_.empty() && frames_.size() < config_.limits.frame_slots) {
    const auto next = next_request();
    const SlotRequest request = *next;
    requests_.erase(next);
    grant(request);
  }
}

// The first request of the owner that holds the fewest slots here, so that an owner with many
// frames does not keep others out.
std::deque<SlotRequest>::iterator HomeFrames::next_request() {
  const auto held = [&](const SlotRequest& request) {
    return std::count_if(frames_.begin(), frames_.end(),
                         [&](const auto& entry) { return entry.first.owner == request.key.owner; });
  };
  return std::min_element(
      requests_.begin(), requests_.end(),
      [&](const SlotRequest& a, const SlotRequest& b) { return held(a) < held(b); });
}

void HomeFrames::grant(const SlotRequest& request) {
  KnownPlan* known = plans_.known(request.plan);
  assert(known != nullptr);
  KnownPlan& plan = *known;
  plans_.use(request.plan);
  HomeFrame& frame = frames_[request.key];
  frame.plan = &plan;
  frame.deadline = deadline_behind_earlier(request);
  frame.due = request.due;
  frame.arrived.assign(plan.routes().strips.size(), false);
  frame.tiles.resize(plan.tiles.size());
  for (const Tile* tile : plan.tiles) {
    if (tile->home != config_.id) continue;
    HomeTile& own = frame.tiles[tile->id.value];
    own.state = TileState::waiting;
    own.missing = plan.routes().waits_for[tile->id.value];
    ++frame.waiting;
  }
  for (const TileAudit& audit : request.audits)
    frame.audits[audit.tile].auditors.push_back(audit.auditor);
  frame.excluded.insert(request.excluded.begin(), request.excluded.end());
  last_granted_ = effects_.now();
  for (const CanvasSpec* canvas : plan.canvases) frame.users.push_back(canvas->users);
  effects_.send(request.key.owner, Grant{request.key});
}

// An owner delivers in order, so no frame of its own is more urgent than the one before it. Owners
// tell their time left, and messages take different times. Without this rule two homes could work
// on two frames in opposite orders, and each would wait for the other's halos.
Time HomeFrames::deadline_behind_earlier(const SlotRequest& request) const {
  Time deadline = request.deadline;
  const FrameKey first{request.key.owner, request.key.life, 0};
  for (auto at = frames_.lower_bound(first); at != frames_.end() && at->first < request.key; ++at) {
    deadline = std::max(deadline, at->second.deadline);
  }
  return deadline;
}

void HomeFrames::close(const FrameKey& key) {
  std::erase_if(requests_, [&](const SlotRequest& request) { return request.key == key; });
  HomeFrame* frame = open_frame(key);
  if (frame == nullptr) return;
  frame->closed = true;
  ready_.erase_if([&](const ReadyTile& tile) {
    return tile.place == Place::home && tile.urgency.frame == key;
  });
  effects_.drop_pieces(key, Place::home);
  loans_.void_frame(key);
  void_audits(key, *frame);
  if (frame->running == 0) release(key);  // else its canvases are in use
}

void HomeFrames::release(const FrameKey& key) {
  assert(at(key).closed);
  assert(at(key).running == 0);
  effects_.act(ReleaseAll{key, Place::home});
  frames_.erase(key);
  grant_slots();
}

// Frames of an earlier life of the owner are closed already: lost_owner().
void HomeFrames::close_below(NodeId owner, uint64_t number) {
  std::vector<FrameKey> over;
  for (auto frame = frames_.lower_bound({owner, 0, 0});
       frame != frames_.end() && frame->first.owner == owner; ++frame)
    if (frame->first.frame < number) over.push_back(frame->first);
  for (const FrameKey& key : over) close(key);
}

void HomeFrames::lost_owner(NodeId owner) {
  std::erase_if(requests_, [&](const SlotRequest& request) { return request.key.owner == owner; });
  std::vector<FrameKey> orphans;
  for (auto frame = frames_.lower_bound({owner, 0, 0});
       frame != frames_.end() && frame->first.owner == owner; ++frame)
    orphans.push_back(frame->first);
  for (const FrameKey& key : orphans) close(key);
}

}  // namespace shingle

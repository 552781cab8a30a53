#include "runtime/node/owner/own_frames.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

NodeId OwnedFrame::next_home() const {
  assert(stage == Stage::opening);
  assert(granted < plan->homes.size());
  return plan->homes[granted];
}

OwnFrames::OwnFrames(const NodeConfig& config, const Peers& peers, const Health& health,
                     Plans& plans, HomeFrames& homes, Offers& offers, const Heirs& heirs,
                     StandIns& stand_ins, Effects& effects)
    : config_(config),
      peers_(peers),
      health_(health),
      plans_(plans),
      homes_(homes),
      offers_(offers),
      heirs_(heirs),
      stand_ins_(stand_ins),
      effects_(effects) {}

// --- questions ---

FrameKey OwnFrames::key_of(uint64_t frame) const { return {config_.id, config_.life, frame}; }

FrameKey OwnFrames::key_of(uint64_t frame, const OwnedFrame& attempt) const {
  return {config_.id, config_.life, frame, attempt.attempt};
}

// An earlier attempt is closed, so it is not found.
const OwnedFrame* OwnFrames::find(const FrameKey& key) const {
  const OwnedFrame* frame = find_in(frames_, key.frame);
  if (frame == nullptr || key != key_of(key.frame, *frame)) return nullptr;
  return frame;
}

OwnedFrame* OwnFrames::frame_of(const FrameKey& key) { return const_cast<OwnedFrame*>(find(key)); }

bool OwnFrames::has_frames(const PlanHash& plan) const {
  return std::any_of(frames_.begin(), frames_.end(), [&](const auto& entry) {
    return entry.second.hash == plan || entry.second.wanted == plan;
  });
}

size_t OwnFrames::waiting_frames() const {
  return static_cast<size_t>(std::count_if(frames_.begin(), frames_.end(), [](const auto& entry) {
    return entry.second.stage == Stage::waiting;
  }));
}

uint64_t OwnFrames::closed_below() const {
  for (const auto& [number, frame] : frames_)
    if (frame.stage != Stage::complete) return number;
  return next_frame_;
}

// --- waiting ---

void OwnFrames::capture(const FrameCaptured& event) {
  assert(event.frame >= next_frame_);
  next_frame_ = event.frame + 1;
  OwnedFrame& frame = frames_[event.frame];
  frame.wanted = frame.hash = event.plan;
  const Offer* offer = offers_.find(event.plan);
  const bool proposed = offer != nullptr && offer->proposed;
  if (proposed) frame.model = offer->model;
  frame.captured = effects_.now();
  frame.deadline = deadline_in(effects_.now(), event.time_left);
  for (const auto& [number, earlier] : frames_)
    frame.deadline = std::max(frame.deadline, earlier.deadline);
  const std::string why_not = proposed ? heirs_.obstacle(event.plan) : not_proposed(event.plan);
  if (!why_not.empty()) return abort(event.frame, why_not);
  open_next();
  drop_surplus();
}

void OwnFrames::drop_surplus() {
  if (waiting_frames() <= config_.limits.waiting_frames) return;
  const bool oldest = config_.limits.drop == DropPolicy::drop_oldest;
  const auto first_waiting = std::find_if(frames_.begin(), frames_.end(), [](const auto& entry) {
    return entry.second.stage == Stage::waiting;
  });
  const auto victim = oldest ? first_waiting : std::prev(frames_.end());
  assert(victim->second.stage == Stage::waiting);
  const FrameKey key = key_of(victim->first);
  ++effects_.counters().frames_dropped;
  effects_.act(ReleaseAll{key, Place::frame});
  effects_.report(
      Report::Kind::frame_dropped, key, config_.id,
      oldest ? "it waited longest and a newer frame came" : "too many frames wait already");
  frames_.erase(victim);
}

void OwnFrames::abort_hopeless() {
  std::vector<std::pair<uint64_t, std::string>> hopeless;
  for (const auto& [number, frame] : frames_) {
    if (frame.stage != Stage::waiting && frame.stage != Stage::suspended) continue;
    std::string why = heirs_.obstacle(frame.wanted);
    if (!why.empty()) hopeless.emplace_back(number, std::move(why));
  }
  for (const auto& [number, why] : hopeless) abort(number, why);
}

// --- opening ---

void OwnFrames::open_next() {
  std::set<ModelHash> held_up;
  for (const auto& [number, frame] : frames_)
    if (frame.stage == Stage::opening) held_up.insert(frame.model);
  for (auto& [number, frame] : frames_) {
    const bool waits = frame.stage == Stage::waiting || frame.stage == Stage::suspended;
    if (!waits || !held_up.insert(frame.model).second) continue;
    const bool may = frame.stage == Stage::suspended || open_frames() < config_.limits.open_frames;
    if (const auto plan = may ? stand_ins_.plan_to_open(frame.wanted) : std::nullopt)
      open(number, frame, *plan);
  }
  ask_next_homes();
}

void OwnFrames::open(uint64_t number, OwnedFrame& frame, const PlanHash& plan) {
  assert(!frame.is_under_way());
  frame.stage = Stage::opening;
  frame.opened = effects_.now();
  frame.hash = plan;
  frame.granted = 0;
  frame.asked.reset();
  frame.outcome_here.reset();
  frame.plan = plans_.known(plan);
  assert(frame.plan != nullptr);
  plans_.use(plan);
  frame.arrived.assign(frame.plan->routes().strips.size(), false);
  frame.missing = frame.plan->routes().to_owner.size();
  frame.done.assign(frame.plan->tiles.size(), false);
  draw_audits(number, frame);
}

void OwnFrames::ask_next_homes() {
  for (auto& [number, frame] : frames_) {
    if (frame.stage != Stage::opening || frame.asked) continue;
    const NodeId home = frame.next_home();
    const bool taken = std::any_of(frames_.begin(), frames_.end(), [&](const auto& entry) {
      return entry.second.is_asking() && entry.second.next_home() == home;
    });
    if (taken) continue;
    frame.asked = frame.home_at_work = effects_.now();
    effects_.send(home, opening_for(key_of(number, frame), frame, home));
  }
}

FrameOpen OwnFrames::opening_for(const FrameKey& key, const OwnedFrame& frame, NodeId home) const {
  FrameOpen open{.key = key,
                 .plan = frame.hash,
                 .time_left = std::max(frame.deadline - effects_.now(), Duration::zero()),
                 .excluded = {offers_.distrusted().begin(), offers_.distrusted().end()}};
  for (const auto& [tile, audit] : frame.audits.all())
    if (frame.plan->tiles[tile.value]->home == home)
      for (const NodeId auditor : audit.auditors) open.audits.push_back({tile, auditor});
  return open;
}

void OwnFrames::granted(NodeId from, const FrameKey& key) {
  OwnedFrame* frame = frame_of(key);
  if (frame == nullptr || !frame->is_asking()) return;  // aborted meanwhile
  if (frame->next_home() != from) return;
  ++frame->granted;
  frame->asked.reset();
  if (frame->granted == frame->plan->homes.size()) start(key, *frame);
  open_next();
}

// --- running ---

void OwnFrames::start(const FrameKey& key, OwnedFrame& frame) {
  assert(frame.granted == frame.plan->homes.size());
  frame.stage = Stage::running;
  frame.progressed = effects_.now();
  const KnownPlan& plan = *frame.plan;
  for (const NodeId home : plan.unprompted)
    home == config_.id ? homes_.begin_unprompted(home, key) : effects_.send(home, Grant{key});
  uint64_t order = 0;
  for (const StripId id : plan.routes().from_frame) {
    const Strip& strip = plan.routes().strips[id.value];
    effects_.transfer(strip.destination.value_or(config_.id),
                      {.urgency = {frame.deadline, key, plan.block_of_strip[id.value], order++},
                       .piece = promised(key, frame.hash, id),
                       .source = {.frame = key_of(key.frame),
                                  .place = Place::frame,
                                  .tensor = strip.tensor,
                                  .tile = {}},
                       .region = strip.region,
                       .bytes = strip.bytes});
  }
  complete_if_all_is_here(key, frame);
}

void OwnFrames::take_outcome(const FrameKey& key, StripId id, std::optional<CanvasKey> source) {
  OwnedFrame* frame = frame_of(key);
  if (frame == nullptr || frame->stage != Stage::running || frame->arrived[id.value]) return;
  assert(frame->missing > 0);
  frame->arrived[id.value] = true;
  frame->progressed = effects_.now();
  const Strip& strip = frame->plan->routes().strips[id.value];
  effects_.act(Paste{.plan = frame->hash,
                     .target = {.frame = key_of(key.frame),
                                .place = Place::outcome,
                                .tensor = strip.tensor,
                                .tile = {}},
                     .region = strip.region,
                     .source = source});
  if (--frame->missing == 0) frame->outcome_here = effects_.now();
  complete_if_all_is_here(key, *frame);
}

void OwnFrames::done(const Done& done) {
  OwnedFrame* frame = frame_of(done.key);
  if (frame == nullptr || frame->plan == nullptr || frame->done[done.tile.value]) return;
  frame->done[done.tile.value] = true;
  frame->progressed = effects_.now();
  Report& report =
      effects_.report(Report::Kind::tile_done, key_of(done.key.frame), done.computed_by);
  report.tile = done.tile;
  report.elapsed = done.compute_time;
  hear_content(done, *frame);
}

// --- the end ---

void OwnFrames::complete_if_all_is_here(const FrameKey& key, OwnedFrame& frame) {
  if (frame.stage == Stage::running && frame.missing == 0 && frame.audits.open() == 0)
    complete(key, frame);
}

// Homes are free as soon as the outcome is here, even if an earlier frame must be delivered first.
void OwnFrames::complete(const FrameKey& key, OwnedFrame& frame) {
  frame.stage = Stage::complete;
  effects_.drop_pieces(key, Place::frame);
  close_at_homes(key, frame, false);
  effects_.act(ReleaseAll{key_of(key.frame), Place::frame});
  deliver_in_order();
}

void OwnFrames::deliver_in_order() {
  std::set<ModelHash> awaited;
  for (auto entry = frames_.begin(); entry != frames_.end();) {
    const OwnedFrame& frame = entry->second;
    if (frame.stage != Stage::complete) awaited.insert(frame.model);
    if (awaited.contains(frame.model)) {
      ++entry;
      continue;
    }
    const FrameKey key = key_of(entry->first);
    ++effects_.counters().frames_delivered;
    effects_.act(Deliver{key, frame.hash});
    effects_.act(ReleaseAll{key, Place::outcome});
    effects_.report(Report::Kind::frame_closed, key, config_.id).elapsed =
        effects_.now() - frame.captured;
    entry = frames_.erase(entry);
  }
  open_next();
}

void OwnFrames::abort(uint64_t number, const std::string& why) {
  assert(frames_.contains(number));
  const OwnedFrame frame = std::move(frames_.extract(number).mapped());
  const FrameKey key = key_of(number), attempt = key_of(number, frame);
  ++effects_.counters().frames_aborted;
  effects_.report(Report::Kind::frame_aborted, key, config_.id,
                  "frame " + std::to_string(number) + " was aborted: " + why);
  effects_.drop_pieces(attempt, Place::frame);
  close_at_homes(attempt, frame, true);
  effects_.act(ReleaseAll{key, Place::frame});
  effects_.act(ReleaseAll{key, Place::outcome});
  deliver_in_order();
}

// Tells the homes that granted, and the home that has been asked.
void OwnFrames::close_at_homes(const FrameKey& key, const OwnedFrame& frame, bool aborted) {
  if (frame.plan == nullptr) return;
  const std::vector<NodeId>& all = frame.plan->homes;
  const size_t told = frame.granted + (frame.asked ? 1 : 0);
  assert(told <= all.size());
  for (size_t i = 0; i < told; ++i) effects_.send(all[i], FrameClosed{key, aborted});
}

}  // namespace shingle

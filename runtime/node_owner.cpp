// The owner's part: frames of this node from capture to delivery.
//
//   captured -> waiting -> opening (homes asked one after the other) -> running -> complete -> gone
//                             ^                    |                      |
//                             +----- suspended <---+---- a home is lost --+     (node_recovery.cpp)
//
// Frames of one model keep their order, whatever plans they are for. One that cannot be opened yet
// holds up those behind it: they could not be delivered before it, and would keep the places that
// it needs. Other models' frames pass it.
//
// Homes are asked in ascending order, and one frame opens at a time, so two owners that share homes
// never hold what the other waits for.
#include <algorithm>
#include <cassert>

#include "runtime/node_state.hpp"

namespace shingle {

using Stage = OwnedFrame::Stage;

FrameKey Node::State::own_key(uint64_t frame) const {
  return {config.id, config.incarnation, frame};
}

FrameKey Node::State::own_key(uint64_t frame, const OwnedFrame& attempt) const {
  return {config.id, config.incarnation, frame, attempt.attempt};
}

// Of the attempt at hand: an earlier one is as closed as a frame can be.
OwnedFrame* Node::State::own_frame(const FrameKey& key) {
  const auto frame = owned.find(key.frame);
  if (frame == owned.end() || key != own_key(key.frame, frame->second)) return nullptr;
  return &frame->second;
}

void Node::State::on(const FrameCaptured& event) {
  assert(event.frame >= next_frame);
  next_frame = event.frame + 1;
  OwnedFrame& frame = owned[event.frame];
  frame.wanted = frame.hash = event.plan;
  if (const auto offer = offers.find(event.plan); offer != offers.end())
    frame.model = offer->second.model;
  frame.captured = now;
  frame.deadline = deadline_in(event.time_left);
  for (const auto& [number, earlier] : owned)
    frame.deadline = std::max(frame.deadline, earlier.deadline);
  const std::string why_not = obstacle(event.plan);
  if (!why_not.empty()) return abort(event.frame, why_not);
  open_next();
  drop_surplus_frames();
}

size_t Node::State::waiting_frames() const {
  return static_cast<size_t>(std::count_if(owned.begin(), owned.end(), [](const auto& entry) {
    return entry.second.stage == Stage::waiting;
  }));
}

size_t Node::State::open_frames() const { return owned.size() - waiting_frames(); }

void Node::State::drop_surplus_frames() {
  if (waiting_frames() <= config.limits.waiting_frames) return;
  const bool oldest = config.limits.drop == DropPolicy::drop_oldest;
  const auto first_waiting = std::find_if(owned.begin(), owned.end(), [](const auto& entry) {
    return entry.second.stage == Stage::waiting;
  });
  const auto victim = oldest ? first_waiting : std::prev(owned.end());
  const FrameKey key = own_key(victim->first);
  ++counters.frames_dropped;
  act(ReleaseAll{key, Place::frame});
  report(Report::Kind::frame_dropped, key, config.id,
         oldest ? "it waited longest and a newer frame came" : "too many frames wait already");
  owned.erase(victim);
}

void Node::State::abort_hopeless_frames() {
  std::vector<std::pair<uint64_t, std::string>> hopeless;
  for (const auto& [number, frame] : owned) {
    if (frame.stage != Stage::waiting && frame.stage != Stage::suspended) continue;
    std::string why = obstacle(frame.wanted);
    if (!why.empty()) hopeless.emplace_back(number, std::move(why));
  }
  for (const auto& [number, why] : hopeless) abort(number, why);
}

void Node::State::open_next() {
  const auto is_at = [](Stage stage) {
    return [stage](const auto& entry) { return entry.second.stage == stage; };
  };
  if (std::any_of(owned.begin(), owned.end(), is_at(Stage::opening))) return;
  const bool room = open_frames() < config.limits.open_frames;
  std::set<ModelHash> held_up;
  for (auto& [number, frame] : owned) {
    const bool waits = frame.stage == Stage::waiting || frame.stage == Stage::suspended;
    if (!waits || held_up.contains(frame.model)) continue;
    const bool may = room || frame.stage == Stage::suspended;
    const auto hash = may ? plan_to_open(frame.wanted) : std::optional<PlanHash>();
    if (hash) return open(number, frame, *hash);
    held_up.insert(frame.model);
  }
}

void Node::State::open(uint64_t number, OwnedFrame& frame, const PlanHash& hash) {
  frame.stage = Stage::opening;
  frame.hash = hash;
  frame.granted = 0;
  frame.plan = known(frame.hash);
  plans.at(frame.hash).used_at = now;
  frame.arrived.assign(frame.plan->routes().strips.size(), false);
  frame.missing = frame.plan->routes().to_owner.size();
  frame.done.assign(frame.plan->tiles.size(), false);
  draw_audits(number, frame);
  ask_next_home(own_key(number, frame), frame);
}

void Node::State::ask_next_home(const FrameKey& key, const OwnedFrame& frame) {
  const NodeId home = frame.plan->homes[frame.granted];
  send(home, opening_for(key, frame, home));
}

void Node::State::on_grant(NodeId from, const FrameKey& key) {
  if (key.owner != config.id) return begin_unprompted(from, key);
  OwnedFrame* frame = own_frame(key);
  if (frame == nullptr || frame->stage != Stage::opening) return;  // aborted meanwhile
  if (frame->plan->homes[frame->granted] != from) return;
  ++frame->granted;
  if (frame->granted < frame->plan->homes.size()) return ask_next_home(key, *frame);
  start(key, *frame);
  open_next();
}

void Node::State::start(const FrameKey& key, OwnedFrame& frame) {
  frame.stage = Stage::running;
  const KnownPlan& plan = *frame.plan;
  for (const NodeId home : plan.unprompted)
    home == config.id ? begin_unprompted(home, key) : send(home, Grant{key});
  uint64_t order = 0;
  for (const StripId id : plan.routes().from_frame) {
    const Strip& strip = plan.routes().strips[id.value];
    transfer(strip.destination.value_or(config.id),
             {.urgency = {frame.deadline, key, plan.block_of_strip[id.value], order++},
              .piece = promised(key, frame.hash, id),
              .source = {.frame = own_key(key.frame),
                         .place = Place::frame,
                         .tensor = strip.tensor,
                         .tile = {}},
              .region = strip.region,
              .bytes = strip.bytes});
  }
  complete_if_all_is_here(key, frame);
}

void Node::State::on_outcome(const FrameKey& key, StripId id, std::optional<CanvasKey> source) {
  OwnedFrame* frame = own_frame(key);
  if (frame == nullptr || frame->stage != Stage::running || frame->arrived[id.value]) return;
  frame->arrived[id.value] = true;
  const Strip& strip = frame->plan->routes().strips[id.value];
  act(Paste{.plan = frame->hash,
            .target = {.frame = own_key(key.frame),
                       .place = Place::outcome,
                       .tensor = strip.tensor,
                       .tile = {}},
            .region = strip.region,
            .source = source});
  --frame->missing;
  complete_if_all_is_here(key, *frame);
}

void Node::State::complete_if_all_is_here(const FrameKey& key, OwnedFrame& frame) {
  if (frame.stage == Stage::running && frame.missing == 0 && frame.audits_open == 0)
    complete(key, frame);
}

// Homes are free as soon as the outcome is here, even if an earlier frame must be delivered first.
void Node::State::complete(const FrameKey& key, OwnedFrame& frame) {
  frame.stage = Stage::complete;
  drop_pieces(key, Place::frame);
  close_at_homes(key, frame, false);
  act(ReleaseAll{own_key(key.frame), Place::frame});
  deliver_in_order();
}

void Node::State::deliver_in_order() {
  std::set<ModelHash> awaited;
  for (auto entry = owned.begin(); entry != owned.end();) {
    const OwnedFrame& frame = entry->second;
    if (frame.stage != Stage::complete) awaited.insert(frame.model);
    if (awaited.contains(frame.model)) {
      ++entry;
      continue;
    }
    const FrameKey key = own_key(entry->first);
    ++counters.frames_delivered;
    act(Deliver{key, frame.hash});
    act(ReleaseAll{key, Place::outcome});
    report(Report::Kind::frame_closed, key, config.id);
    std::get<Report>(out->back()).elapsed = now - frame.captured;
    entry = owned.erase(entry);
  }
  open_next();
}

void Node::State::abort(uint64_t number, const std::string& why) {
  const OwnedFrame frame = std::move(owned.at(number));
  owned.erase(number);
  const FrameKey key = own_key(number), attempt = own_key(number, frame);
  ++counters.frames_aborted;
  report(Report::Kind::frame_aborted, key, config.id,
         "frame " + std::to_string(number) + " was aborted: " + why);
  drop_pieces(attempt, Place::frame);
  close_at_homes(attempt, frame, true);
  act(ReleaseAll{key, Place::frame});
  act(ReleaseAll{key, Place::outcome});
  deliver_in_order();
}

// To the homes that granted, and to the one that was asked last.
void Node::State::close_at_homes(const FrameKey& key, const OwnedFrame& frame, bool aborted) {
  if (frame.plan == nullptr) return;
  const std::vector<NodeId>& all = frame.plan->homes;
  for (size_t i = 0; i < std::min(frame.granted + 1, all.size()); ++i)
    send(all[i], FrameClosed{key, aborted});
}

void Node::State::on_done(const Done& done) {
  OwnedFrame* frame = own_frame(done.key);
  if (frame == nullptr || frame->plan == nullptr || frame->done[done.tile.value]) return;
  frame->done[done.tile.value] = true;
  report(Report::Kind::tile_done, own_key(done.key.frame), done.computed_by);
  std::get<Report>(out->back()).tile = done.tile;
  std::get<Report>(out->back()).elapsed = done.compute_time;
  hear_content(done);
}

void Node::State::on_failed_at_home(NodeId from, const Failed& failed) {
  const OwnedFrame* frame = own_frame(failed.key);
  if (frame == nullptr || frame->plan == nullptr || !frame->plan->is_home(from)) return;
  const std::string why = name_of(from) + " could not compute tile " +
                          std::to_string(failed.tile.value) + ": " + failed.why;
  put_aside(Answer::Kind::unfit, frame->hash, from, why);
  suspend(failed.key.frame, why);
  abort_hopeless_frames();
  open_next();
}

void Node::State::owner_lost_home(NodeId home, const std::string& why) {
  for (auto& [hash, offer] : offers) {
    const auto answer = offer.answers.find(home);
    if (answer == offer.answers.end() || answer->second.kind == Answer::Kind::distrusted) continue;
    answer->second = {Answer::Kind::lost, why, now, answer->second.was_ready};
    const KnownPlan* plan = known(hash);
    if (plan == nullptr || !plan->is_home(home)) continue;
    impair_plan(hash, offer, home, why);
    suspend_frames(hash, why);
  }
  owner_lost_auditor(home);
  abort_hopeless_frames();
  open_next();
}

uint64_t Node::State::closed_below() const {
  for (const auto& [number, frame] : owned)
    if (frame.stage != Stage::complete) return number;
  return next_frame;
}

}  // namespace shingle

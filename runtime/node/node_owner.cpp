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
// Homes are asked in ascending order, each after the one before has granted, so frames that share
// homes never hold what the other waits for. Of each model one frame opens at a time, and each home
// is asked for one slot at a time. A home that is ready and gives none, or gave one and brings the
// frame no further, is put aside in the end.
#include <algorithm>
#include <cassert>
#include <utility>

#include "runtime/node/node_state.hpp"

namespace shingle {

using Stage = OwnedFrame::Stage;

FrameKey Node::State::own_key(uint64_t frame) const { return {config.id, config.life, frame}; }

FrameKey Node::State::own_key(uint64_t frame, const OwnedFrame& attempt) const {
  return {config.id, config.life, frame, attempt.attempt};
}

// Of the attempt at hand: an earlier one is as closed as a frame can be.
const OwnedFrame* Node::State::own_frame(const FrameKey& key) const {
  const OwnedFrame* frame = find_in(owned, key.frame);
  if (frame == nullptr || key != own_key(key.frame, *frame)) return nullptr;
  return frame;
}

OwnedFrame* Node::State::own_frame(const FrameKey& key) {
  return const_cast<OwnedFrame*>(std::as_const(*this).own_frame(key));
}

void Node::State::on(const FrameCaptured& event) {
  assert(event.frame >= next_frame);
  next_frame = event.frame + 1;
  OwnedFrame& frame = owned[event.frame];
  frame.wanted = frame.hash = event.plan;
  const Offer* offer = find_in(offers, event.plan);
  const bool proposed = offer != nullptr && offer->proposed;
  if (proposed) frame.model = offer->model;
  frame.captured = now;
  frame.deadline = deadline_in(event.time_left);
  for (const auto& [number, earlier] : owned)
    frame.deadline = std::max(frame.deadline, earlier.deadline);
  const std::string why_not = proposed ? obstacle(event.plan) : not_proposed(event.plan);
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
  std::set<ModelHash> held_up;
  for (const auto& [number, frame] : owned)
    if (frame.stage == Stage::opening) held_up.insert(frame.model);
  for (auto& [number, frame] : owned) {
    const bool waits = frame.stage == Stage::waiting || frame.stage == Stage::suspended;
    if (!waits || !held_up.insert(frame.model).second) continue;
    const bool may = frame.stage == Stage::suspended || open_frames() < config.limits.open_frames;
    if (const auto hash = may ? plan_to_open(frame.wanted) : std::nullopt)
      open(number, frame, *hash);
  }
  ask_next_homes();
}

void Node::State::open(uint64_t number, OwnedFrame& frame, const PlanHash& hash) {
  frame.stage = Stage::opening;
  frame.hash = hash;
  frame.granted = 0;
  frame.asked.reset();
  frame.outcome_here.reset();
  frame.plan = known(frame.hash);
  plans.at(frame.hash).used_at = now;
  frame.arrived.assign(frame.plan->routes().strips.size(), false);
  frame.missing = frame.plan->routes().to_owner.size();
  frame.done.assign(frame.plan->tiles.size(), false);
  draw_audits(number, frame);
}

namespace {

bool is_asking(const OwnedFrame& frame) { return frame.stage == Stage::opening && frame.asked; }

NodeId next_home(const OwnedFrame& frame) { return frame.plan->homes[frame.granted]; }

}  // namespace

void Node::State::ask_next_homes() {
  for (auto& [number, frame] : owned) {
    if (frame.stage != Stage::opening || frame.asked) continue;
    const NodeId home = next_home(frame);
    const bool taken = std::any_of(owned.begin(), owned.end(), [&](const auto& entry) {
      return is_asking(entry.second) && next_home(entry.second) == home;
    });
    if (taken) continue;
    frame.asked = frame.home_at_work = now;
    send(home, opening_for(own_key(number, frame), frame, home));
  }
}

// With every beat. A home may have given all its slots to others' frames, so it has time, most of
// all while it computes. Then it is left alone for as long as it kept the frame waiting; of one
// that is known to hang nothing new is learnt by it.
void Node::State::give_up_waiting_for_slots() {
  std::vector<uint64_t> in_vain;
  for (auto& [number, frame] : owned) {
    if (!is_asking(frame)) continue;
    const NodeId home = next_home(frame);
    if ((home == config.id ? running : peers.at(home).running) > 0) frame.home_at_work = now;
    if (now - frame.home_at_work >= config.limits.slot_awaited ||
        now - *frame.asked >= config.limits.first_tile_allowed)
      in_vain.push_back(number);
  }
  for (const uint64_t number : in_vain) {
    const OwnedFrame* frame = find_in(owned, number);
    if (frame == nullptr || !is_asking(*frame)) continue;
    const Duration waited = now - *frame->asked;
    const NodeId home = next_home(*frame);
    const std::string why = name_of(home) + " said that it was ready for plan " +
                            short_name(frame->hash) + " and has given frame " +
                            std::to_string(number) + " no slot in " +
                            std::to_string(waited / std::chrono::seconds(1)) + " s";
    if (!is_known_to_hang(frame->hash, home))
      put_aside(home, frame->hash, {Answer::Kind::unfit, why, now + waited, true});
    suspend(number, why);
  }
}

// With every beat, too. A home that beats and does not do what it has granted, for whatever reason,
// must not keep the frame for ever: two tiles in turn may take as long as is believed of a first.
// One that is known to hang is left as soon as another can do its tiles (leave_the_hung()).
void Node::State::give_up_waiting_for_tiles() {
  std::vector<uint64_t> held_up;
  for (const auto& [number, frame] : owned)
    if (frame.stage == Stage::running && frame.missing > 0 &&
        now - frame.progressed >= 2 * config.limits.first_tile_allowed &&
        !is_known_to_hang(frame.hash, held_up_by(frame).first))
      held_up.push_back(number);
  for (const uint64_t number : held_up) {
    const OwnedFrame* frame = find_in(owned, number);
    if (frame == nullptr || frame->stage != Stage::running) continue;
    const Duration waited = now - frame->progressed;
    const auto [home, what] = held_up_by(*frame);
    const std::string why = name_of(home) + " has given frame " + std::to_string(number) +
                            " a slot, and " + what + " of it has not come in " +
                            std::to_string(waited / std::chrono::seconds(1)) + " s";
    put_aside(home, frame->hash, {Answer::Kind::unfit, why, now + waited, true});
    suspend(number, why);
  }
}

bool Node::State::is_known_to_hang(const PlanHash& hash, NodeId home) const {
  const std::map<NodeId, Answer>& answers = offers.at(hash).answers;
  const Answer* answer = find_in(answers, home);
  return answer != nullptr && answer->kind == Answer::Kind::hung;
}

// Of the tiles that are not done the first waits for no other; where all are done, whoever owes a
// strip of the outcome. REQUIRES: something is missing.
std::pair<NodeId, std::string> Node::State::held_up_by(const OwnedFrame& frame) const {
  for (const Tile* tile : frame.plan->tiles)
    if (!frame.done[tile->id.value]) return {tile->home, "tile " + std::to_string(tile->id.value)};
  const std::vector<StripId>& owed = frame.plan->routes().to_owner;
  const auto missing =
      std::find_if(owed.begin(), owed.end(), [&](StripId id) { return !frame.arrived[id.value]; });
  const Strip& strip = frame.plan->routes().strips[missing->value];
  return {strip.producer ? frame.plan->tiles[strip.producer->value]->home : config.id,
          "strip " + std::to_string(missing->value)};
}

void Node::State::on_grant(NodeId from, const FrameKey& key) {
  if (key.owner != config.id) return begin_unprompted(from, key);
  OwnedFrame* frame = own_frame(key);
  if (frame == nullptr || !is_asking(*frame)) return;  // aborted meanwhile
  if (next_home(*frame) != from) return;
  ++frame->granted;
  frame->asked.reset();
  if (frame->granted == frame->plan->homes.size()) start(key, *frame);
  open_next();
}

void Node::State::start(const FrameKey& key, OwnedFrame& frame) {
  frame.stage = Stage::running;
  frame.progressed = now;
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
  frame->progressed = now;
  const Strip& strip = frame->plan->routes().strips[id.value];
  act(Paste{.plan = frame->hash,
            .target = {.frame = own_key(key.frame),
                       .place = Place::outcome,
                       .tensor = strip.tensor,
                       .tile = {}},
            .region = strip.region,
            .source = source});
  if (--frame->missing == 0) frame->outcome_here = now;
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

// To the homes that granted, and to the one that has been asked.
void Node::State::close_at_homes(const FrameKey& key, const OwnedFrame& frame, bool aborted) {
  if (frame.plan == nullptr) return;
  const std::vector<NodeId>& all = frame.plan->homes;
  for (size_t i = 0; i < frame.granted + (frame.asked ? 1 : 0); ++i)
    send(all[i], FrameClosed{key, aborted});
}

void Node::State::on_done(const Done& done) {
  OwnedFrame* frame = own_frame(done.key);
  if (frame == nullptr || frame->plan == nullptr || frame->done[done.tile.value]) return;
  frame->done[done.tile.value] = true;
  frame->progressed = now;
  report(Report::Kind::tile_done, own_key(done.key.frame), done.computed_by);
  std::get<Report>(out->back()).tile = done.tile;
  std::get<Report>(out->back()).elapsed = done.compute_time;
  hear_content(done);
}

void Node::State::on_failed_at_home(NodeId from, const Failed& failed) {
  const OwnedFrame* frame = own_frame(failed.key);
  const bool under_way =
      frame != nullptr && (frame->stage == Stage::opening || frame->stage == Stage::running);
  if (!under_way) return;  // complete: its picture is gone, and nothing of it is missing
  const std::string why = name_of(from) + " could not compute tile " +
                          std::to_string(failed.tile.value) + ": " + failed.why;
  put_aside(from, frame->hash, {Answer::Kind::unfit, why, now, true});
  suspend(failed.key.frame, why);
  abort_hopeless_frames();
  open_next();
}

void Node::State::owner_lost_home(NodeId home, const std::string& why) {
  for (auto& [hash, offer] : offers) {
    offer.declined.erase(home);
    Answer* answer = find_in(offer.answers, home);
    if (answer == nullptr || answer->kind == Answer::Kind::distrusted) continue;
    *answer = {Answer::Kind::lost, why, now, answer->was_ready};
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

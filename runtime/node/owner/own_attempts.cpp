// Attempts at own frames: when a home is lost, fails, hangs or does nothing, the frame is begun
// again without it, up to `attempts` times. A home that does nothing is suspended for as long as it
// kept the frame waiting.
#include <algorithm>
#include <cassert>

#include "runtime/node/owner/own_frames.hpp"

namespace shingle {

namespace {

constexpr int pause_after_failure = 4;  // times what the attempt took

std::string whole_seconds(Duration duration) {
  return std::to_string(duration / std::chrono::seconds(1)) + " s";
}

}  // namespace

void OwnFrames::suspend_all(const PlanHash& plan, const std::string& why) {
  std::vector<uint64_t> affected;
  for (const auto& [number, frame] : frames_)
    if (frame.hash == plan && frame.is_under_way()) affected.push_back(number);
  for (const uint64_t number : affected) suspend(number, why);
}

// This ends no other frame that is under way. REQUIRES: the frame is under way.
void OwnFrames::suspend(uint64_t number, const std::string& why) {
  OwnedFrame& frame = frames_.at(number);
  assert(frame.is_under_way());
  const uint32_t most = config_.limits.attempts;
  if (most <= 1) return abort(number, why);
  if (frame.attempt + 1 >= most)
    return abort(number,
                 why + "; " + std::to_string(most) + " attempts at it have come to nothing");
  const FrameKey key = key_of(number, frame);
  effects_.drop_pieces(key, Place::frame);
  close_at_homes(key, frame, true);
  effects_.act(ReleaseAll{key_of(number), Place::outcome});
  ++frame.attempt;
  frame.stage = Stage::suspended;
  frame.plan = nullptr;
  frame.asked.reset();
  frame.audits.clear();
  frame.hash = frame.wanted;
  ++effects_.counters().frames_reissued;
  effects_.report(Report::Kind::frame_reissued, key_of(number), config_.id,
                  "frame " + std::to_string(number) + " is begun again: " + why);
}

// The home is asked again, and may then say that it is ready although its executor is broken. Until
// then several other homes get their turn, however long attempts take.
void OwnFrames::failed_at_home(NodeId from, const Failed& failed) {
  assert(failed.kind == Failed::Kind::at_home);
  const OwnedFrame* frame = find(failed.key);
  // A complete frame needs nothing more, and its picture is gone.
  if (frame == nullptr || !frame->is_under_way()) return;
  const std::string why = peers_.name_of(from) + " could not compute tile " +
                          std::to_string(failed.tile.value) + ": " + failed.why;
  const Duration pause =
      std::max(config_.limits.unfit_for, pause_after_failure * (effects_.now() - frame->opened));
  const Time since = effects_.now() + pause - config_.limits.unfit_for;
  offers_.suspend(from, frame->hash, {Answer::Kind::unfit, why, since, true});
  suspend(failed.key.frame, why);
  abort_hopeless();
  open_next();
}

void OwnFrames::lost_home(NodeId home, const std::string& why) {
  for (auto& [hash, offer] : offers_)
    if (offers_.lose(home, hash, offer, why)) suspend_all(hash, why);
  lost_auditor(home);
  abort_hopeless();
  open_next();
}

// Null: no home of the frame hangs. REQUIRES: it is under way.
const Answer* OwnFrames::hung_home(const OwnedFrame& frame) const {
  assert(frame.is_under_way());
  const std::map<NodeId, Answer>& answers = offers_.at(frame.hash).answers;
  const auto hung = std::find_if(answers.begin(), answers.end(), [&](const auto& entry) {
    return entry.second.kind == Answer::Kind::hung && frame.plan->is_home(entry.first);
  });
  return hung == answers.end() ? nullptr : &hung->second;
}

// A home that hangs may come back at any moment, so frames under way wait for it until another node
// could do its tiles. Other homes of the wanted plan may never have been there, and then it is not
// known who could. After `unfit_for` a stand-in is offered, and whoever is ready for it can.
void OwnFrames::leave_the_hung() {
  std::vector<std::pair<uint64_t, std::string>> affected;
  for (const auto& [number, frame] : frames_) {
    if (!frame.is_under_way()) continue;
    const Answer* hung = hung_home(frame);
    if (hung == nullptr) continue;
    const bool for_long = effects_.now() - hung->since >= config_.limits.unfit_for;
    if (heirs_.losses(frame.wanted, Heirs::Trust::certain) ||
        (for_long && stand_ins_.plan_to_open(frame.wanted)))
      affected.emplace_back(number, hung->why);
  }
  for (const auto& [number, why] : affected) suspend(number, why);
}

void OwnFrames::give_up_waiting() {
  give_up_waiting_for_slots();
  give_up_waiting_for_tiles();
  give_up_waiting_for_audits();
}

// A home may have given all its slots to other owners' frames, so it gets time, and more time while
// it computes.
void OwnFrames::give_up_waiting_for_slots() {
  const Time now = effects_.now();
  std::vector<uint64_t> in_vain;
  for (auto& [number, frame] : frames_) {
    if (!frame.is_asking()) continue;
    const NodeId home = frame.next_home();
    if ((home == config_.id ? health_.running() : peers_.at(home).running) > 0)
      frame.home_at_work = now;
    if (now - frame.home_at_work >= config_.limits.slot_awaited ||
        now - *frame.asked >= config_.limits.first_tile_allowed)
      in_vain.push_back(number);
  }
  for (const uint64_t number : in_vain) give_up_waiting_for_slot(number, frames_.at(number));
}

// A home that is known to hang keeps that answer, which says more than `unfit`.
void OwnFrames::give_up_waiting_for_slot(uint64_t number, const OwnedFrame& frame) {
  const Duration waited = effects_.now() - *frame.asked;
  const NodeId home = frame.next_home();
  const std::string why = peers_.name_of(home) + " said that it was ready for plan " +
                          short_name(frame.hash) + " and has given frame " +
                          std::to_string(number) + " no slot in " + whole_seconds(waited);
  if (!offers_.is_known_to_hang(frame.hash, home))
    offers_.suspend(home, frame.hash, {Answer::Kind::unfit, why, effects_.now() + waited, true});
  suspend(number, why);
}

// A home that beats but does not do what it has granted must not keep the frame for ever. Two
// tiles, one after the other, may take as long as a first tile may. leave_the_hung() deals with
// homes that are known to hang.
void OwnFrames::give_up_waiting_for_tiles() {
  std::vector<uint64_t> held_up;
  for (const auto& [number, frame] : frames_)
    if (frame.stage == Stage::running && frame.missing > 0 &&
        effects_.now() - frame.progressed >= 2 * config_.limits.first_tile_allowed &&
        !offers_.is_known_to_hang(frame.hash, held_up_by(frame).first))
      held_up.push_back(number);
  for (const uint64_t number : held_up) give_up_waiting_for_tile(number, frames_.at(number));
}

void OwnFrames::give_up_waiting_for_tile(uint64_t number, const OwnedFrame& frame) {
  const Duration waited = effects_.now() - frame.progressed;
  const auto [home, what] = held_up_by(frame);
  const std::string why = peers_.name_of(home) + " has given frame " + std::to_string(number) +
                          " a slot, and " + what + " of it has not come in " +
                          whole_seconds(waited);
  offers_.suspend(home, frame.hash, {Answer::Kind::unfit, why, effects_.now() + waited, true});
  suspend(number, why);
}

// The home of the first tile that is not done, because that tile waits for no other. If all tiles
// are done: the home that owes a strip of the outcome. REQUIRES: something is missing.
std::pair<NodeId, std::string> OwnFrames::held_up_by(const OwnedFrame& frame) const {
  assert(frame.missing > 0);
  for (const Tile* tile : frame.plan->tiles)
    if (!frame.done[tile->id.value]) return {tile->home, "tile " + std::to_string(tile->id.value)};
  const std::vector<StripId>& owed = frame.plan->routes().to_owner;
  const auto missing =
      std::find_if(owed.begin(), owed.end(), [&](StripId id) { return !frame.arrived[id.value]; });
  assert(missing != owed.end());
  const Strip& strip = frame.plan->routes().strips[missing->value];
  return {strip.producer ? frame.plan->tiles[strip.producer->value]->home : config_.id,
          "strip " + std::to_string(missing->value)};
}

}  // namespace shingle

// What must always hold between steps. Each part checks its own records; Node::State checks sums
// over several parts.
#include <algorithm>

#include "runtime/node/breaches.hpp"
#include "runtime/node/node_state.hpp"

namespace shingle {

namespace {

// Returns how many of its tiles are in each state.
TileCounts check_home_frame(const FrameKey& key, const HomeFrame& frame, Breaches& breaches) {
  TileCounts counts{};
  for (const HomeTile& tile : frame.tiles) {
    ++counts[static_cast<size_t>(tile.state)];
    const bool counted =
        tile.state == TileState::foreign || tile.state == TileState::waiting || tile.missing == 0;
    breaches.require(counted, key, "has a tile past waiting that still misses something");
  }
  breaches.require(frame.closed || counts[static_cast<size_t>(TileState::running)] == frame.running,
                   key, "counts its running tiles wrongly");
  breaches.require(counts[static_cast<size_t>(TileState::waiting)] == frame.waiting, key,
                   "counts its waiting tiles wrongly");
  breaches.require(!frame.closed || frame.running > 0, key, "is closed but nothing keeps it");
  const bool users =
      std::all_of(frame.users.begin(), frame.users.end(), [](int32_t count) { return count >= 0; });
  breaches.require(users, key, "has a canvas with fewer than no users");
  return counts;
}

}  // namespace

std::vector<std::string> Node::State::broken_invariants() const {
  Breaches breaches;
  breaches.require(!effects.has_local(), "something sent to the node itself was left lying");
  check_limits(breaches);
  const TileCounts counts = home.frames.check(breaches);
  home.loans.check(peers, breaches);
  borrowing.check(breaches);
  owner.frames.check(breaches);
  check_sums(counts, breaches);
  return breaches.take();
}

void Node::State::check_limits(Breaches& breaches) const {
  const NodeLimits& limits = config.limits;
  breaches.require(health.running() <= limits.compute_slots, "more tiles run than there are slots");
  breaches.require(health.running() == limits.compute_slots || ready.empty() || weights.damaged(),
                   "a slot is free although a tile is ready");
  breaches.require(plans.size() <= limits.plans, "too many plans are held");
  for (const NodeId id : peers.with_pieces)
    breaches.require(peers.at(id).link.in_flight_limit_breaches() == 0,
                     "more is in flight to a peer than its credit");
}

void Node::State::check_sums(const TileCounts& home_tiles, Breaches& breaches) const {
  const auto at_home = [&](TileState state) { return home_tiles[static_cast<size_t>(state)]; };
  breaches.require(
      health.running() == home.frames.running() + borrowing.count(Borrowed::Stage::running),
      "the running tiles do not add up");
  breaches.require(
      ready.size() == at_home(TileState::ready) + borrowing.count(Borrowed::Stage::ready),
      "the ready queue does not add up");
  breaches.require(home.loans.size() == at_home(TileState::lent), "the loans do not add up");
}

// --- home ---

size_t HomeFrames::running() const {
  size_t sum = 0;
  for (const auto& [key, frame] : frames_) sum += frame.running;
  return sum;
}

TileCounts HomeFrames::check(Breaches& breaches) const {
  TileCounts open{};
  const size_t slots = config_.limits.frame_slots;
  breaches.require(frames_.size() <= slots, "more frames are held than there are slots");
  breaches.require(frames_.size() == slots || requests_.empty(),
                   "a frame waits although a slot is free");
  std::set<NodeId> requesters;
  for (const SlotRequest& request : requests_)
    breaches.require(requesters.insert(request.key.owner).second,
                     "an owner waits for two slots at once");
  for (const auto& [key, frame] : frames_) {
    const TileCounts counts = check_home_frame(key, frame, breaches);
    for (size_t state = 0; state < counts.size() && !frame.closed; ++state)
      open[state] += counts[state];
  }
  return open;
}

void Loans::check(const Peers& peers, Breaches& breaches) const {
  for (const auto& [key, loan] : loans_) {
    breaches.require(loan.missing > 0, "a loan that is back was not ended");
    breaches.require(peers.is_joined(loan.thief), "a tile is lent to a node that is not there");
  }
}

// --- thief and auditor ---

void Borrowing::check(Breaches& breaches) const {
  const AuditsHeld held = audits_held();
  breaches.require(
      held.tiles <= config_.limits.audits_held && held.bytes <= config_.limits.audit_bytes,
      "more is audited at once than this node takes on");
  for (const auto& [key, tile] : tiles_)
    breaches.require(tile.stage != Borrowed::Stage::returning || tile.missing > 0,
                     "a returned tile was not forgotten");
}

// --- owner ---

void OwnFrames::check(Breaches& breaches) const {
  breaches.require(open_frames() <= config_.limits.open_frames, "too many frames are open");
  breaches.require(waiting_frames() <= config_.limits.waiting_frames, "too many frames wait");
  std::set<ModelHash> opening;
  std::set<NodeId> asked;                 // for slots
  std::set<ModelHash> unopened, awaited;  // of models' earlier frames
  for (const auto& [number, frame] : frames_) {
    const bool opened = frame.stage == Stage::running || frame.stage == Stage::complete;
    breaches.require(!opened || !unopened.contains(frame.model),
                     "a later frame was opened before an earlier one");
    if (!opened && frame.attempt == 0) unopened.insert(frame.model);
    if (frame.stage != Stage::complete) awaited.insert(frame.model);
    breaches.require(awaited.contains(frame.model),
                     "a complete frame was not delivered although it is next");
    breaches.require(frame.stage != Stage::opening || opening.insert(frame.model).second,
                     "two frames of one model are opening at once");
    breaches.require(!frame.is_asking() || asked.insert(frame.next_home()).second,
                     "a home is asked for two slots at once");
    check_frame(frame, breaches);
  }
}

void OwnFrames::check_frame(const OwnedFrame& frame, Breaches& breaches) const {
  breaches.require(frame.attempt < config_.limits.attempts, "a frame is attempted without bound");
  breaches.require(frame.stage == Stage::opening || !frame.asked,
                   "a home is asked for a frame that is not opening");
  breaches.require(frame.audits.adds_up(), "a frame's open audits do not add up");
  breaches.require(frame.stage != Stage::running || frame.missing > 0 || frame.audits.open() > 0,
                   "a frame whose outcome and audits are here was not completed");
}

}  // namespace shingle

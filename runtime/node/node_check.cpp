// What must always hold between steps.
#include <algorithm>

#include "runtime/node/node_state.hpp"

namespace shingle {

// Collects one sentence for each breach. Nothing is built where all is well: this runs after every
// simulated step.
class Breaches {
 public:
  void require(bool holds, const char* sentence) {
    if (!holds) sentences_.emplace_back(sentence);
  }
  void require(bool holds, const FrameKey& key, const char* rest) {
    if (!holds)
      sentences_.push_back("home frame " + std::to_string(key.owner.value) + ":" +
                           std::to_string(key.frame) + " " + rest);
  }
  std::vector<std::string> take() { return std::move(sentences_); }

 private:
  std::vector<std::string> sentences_;
};

namespace {

void check_home_frame(const FrameKey& key, const HomeFrame& frame, Breaches& breaches) {
  uint32_t running = 0, waiting = 0;
  for (const HomeTile& tile : frame.tiles) {
    waiting += tile.state == TileState::waiting ? 1 : 0;
    running += tile.state == TileState::running ? 1 : 0;
    const bool counted =
        tile.state == TileState::foreign || tile.state == TileState::waiting || tile.missing == 0;
    breaches.require(counted, key, "has a tile past waiting that still misses something");
  }
  breaches.require(frame.closed || running == frame.running, key,
                   "counts its running tiles wrongly");
  breaches.require(waiting == frame.waiting, key, "counts its waiting tiles wrongly");
  breaches.require(!frame.closed || frame.running > 0, key, "is closed but nothing keeps it");
  const bool users =
      std::all_of(frame.users.begin(), frame.users.end(), [](int32_t count) { return count >= 0; });
  breaches.require(users, key, "has a canvas with fewer than no users");
}

}  // namespace

std::vector<std::string> Node::State::broken_invariants() const {
  Breaches breaches;
  breaches.require(local_messages.empty() && local_pieces.empty(),
                   "something sent to the node itself was left lying");
  check_limits(breaches);
  check_owned(breaches);
  check_tiles(breaches);
  check_loans(breaches);
  return breaches.take();
}

void Node::State::check_limits(Breaches& breaches) const {
  const NodeLimits& limits = config.limits;
  breaches.require(running <= limits.compute_slots, "more tiles run than there are slots");
  breaches.require(running == limits.compute_slots || ready.empty() || is_damaged(),
                   "a slot is free although a tile is ready");
  breaches.require(homes.size() <= limits.frame_slots, "more frames are held than there are slots");
  breaches.require(homes.size() == limits.frame_slots || slot_requests.empty(),
                   "a frame waits although a slot is free");
  breaches.require(open_frames() <= limits.open_frames, "too many frames are open");
  breaches.require(waiting_frames() <= limits.waiting_frames, "too many frames wait");
  breaches.require(plans.size() <= config.limits.plans, "too many plans are held");
  std::set<NodeId> requesters;
  for (const SlotRequest& request : slot_requests)
    breaches.require(requesters.insert(request.key.owner).second,
                     "an owner waits for two slots at once");
  const AuditsHeld held = audits_held();
  breaches.require(held.tiles <= limits.audits_held && held.bytes <= limits.audit_bytes,
                   "more is audited at once than this node takes on");
  for (const auto& [id, peer] : peers)
    breaches.require(peer.link.in_flight_limit_breaches() == 0,
                     "more is in flight to a peer than its credit");
}

void Node::State::check_owned(Breaches& breaches) const {
  using Stage = OwnedFrame::Stage;
  std::set<ModelHash> opening;
  std::set<NodeId> asked;                 // for slots
  std::set<ModelHash> unopened, awaited;  // of models' earlier frames
  for (const auto& [number, frame] : owned) {
    const bool opened = frame.stage == Stage::running || frame.stage == Stage::complete;
    breaches.require(!opened || !unopened.contains(frame.model),
                     "a later frame was opened before an earlier one");
    if (!opened && frame.attempt == 0) unopened.insert(frame.model);
    if (frame.stage != Stage::complete) awaited.insert(frame.model);
    breaches.require(awaited.contains(frame.model),
                     "a complete frame was not delivered although it is next");
    breaches.require(frame.attempt < config.limits.attempts, "a frame is attempted without bound");
    const bool is_opening = frame.stage == Stage::opening;
    breaches.require(!is_opening || opening.insert(frame.model).second,
                     "two frames of one model are opening at once");
    breaches.require(is_opening || !frame.asked, "a home is asked for a frame that is not opening");
    breaches.require(!frame.asked || asked.insert(frame.plan->homes[frame.granted]).second,
                     "a home is asked for two slots at once");
    const auto audits_open = std::count_if(frame.audits.begin(), frame.audits.end(),
                                           [](const auto& audit) { return !audit.second.over; });
    breaches.require(frame.audits_open == static_cast<size_t>(audits_open),
                     "a frame's open audits do not add up");
    breaches.require(frame.stage != Stage::running || frame.missing > 0 || audits_open > 0,
                     "a frame whose outcome and audits are here was not completed");
  }
}

void Node::State::check_tiles(Breaches& breaches) const {
  uint32_t running_sum = 0;
  size_t ready_sum = 0, lent = 0;
  for (const auto& [key, frame] : homes) {
    check_home_frame(key, frame, breaches);
    running_sum += frame.running;
    if (frame.closed) continue;
    for (const HomeTile& tile : frame.tiles) {
      ready_sum += tile.state == TileState::ready ? 1 : 0;
      lent += tile.state == TileState::lent ? 1 : 0;
    }
  }
  for (const auto& [key, tile] : borrowed) {
    running_sum += tile.stage == Borrowed::Stage::running ? 1 : 0;
    ready_sum += tile.stage == Borrowed::Stage::ready ? 1 : 0;
  }
  breaches.require(running == running_sum && running == underway.size(),
                   "the running tiles do not add up");
  breaches.require(ready.size() == ready_sum, "the ready queue does not add up");
  breaches.require(loans.size() == lent, "the loans do not add up");
}

void Node::State::check_loans(Breaches& breaches) const {
  for (const auto& [key, loan] : loans) {
    breaches.require(loan.missing > 0, "a loan that is back was not ended");
    breaches.require(peers.at(loan.thief).joined, "a tile is lent to a node that is not there");
  }
  for (const auto& [key, tile] : borrowed)
    breaches.require(tile.stage != Borrowed::Stage::returning || tile.missing > 0,
                     "a returned tile was not forgotten");
}

bool Node::State::idle() const {
  const bool links_empty = std::all_of(peers.begin(), peers.end(),
                                       [](const auto& entry) { return entry.second.link.empty(); });
  return links_empty && owned.empty() && homes.empty() && slot_requests.empty() && ready.empty() &&
         borrowed.empty() && running == 0;
}

}  // namespace shingle

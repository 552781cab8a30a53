// Audits of own frames: a tile is computed once more, by another node, and the contents are
// compared.
//
//        owner                          home                       auditor
//          | --- FrameOpen{audits} -----> |                           |
//          |     it begins to compute     | --- AuditRequest -------> |
//          |     the tile, or lends it    | --- Piece (audit input) > |
//          | <-- Done{content} ---------- |                           |
//          | <-- AuditResult{content} ------------------------------- |
//
// The thief of a lent tile tells the content itself, so it is blamed by its own words only, never
// by what its victim says of it. Whoever borrows a tile does not audit it: for that case the owner
// draws a second auditor, so thieves are audited as often as homes.
//
// A frame is complete when its audits are. If contents differ, the frame is begun again and the
// tile is audited by somebody who has said nothing of it yet, until two nodes agree
// (runtime/node/audit.hpp). Whoever claimed something else is distrusted from then on: frames under
// way are begun again without it, its tiles go to stand-ins, nobody lends it any, and nobody asks
// it to audit. A result that cannot be had, because somebody is lost or full, holds nothing up.
#include <algorithm>
#include <cassert>

#include "runtime/node/owner/own_frames.hpp"

namespace shingle {

namespace {

constexpr Duration result_awaited = std::chrono::seconds(60);  // when all else is here

}  // namespace

// Draws tiles by `audit_share`. Disputed tiles are always audited.
void OwnFrames::draw_audits(uint64_t number, OwnedFrame& frame) {
  std::set<NodeId> gone;
  for (const auto& [node, peer] : peers_)
    if (!peer.joined) gone.insert(node);
  frame.audits.begin(std::move(gone));
  const double share = config_.limits.audit_share;
  if (share <= 0.0 && !frame.audits.has_disputes()) return;
  Dice dice(config_.seed ^ (number << 20) ^ (uint64_t{frame.attempt} << 8) ^ config_.id.value);
  for (const Tile* tile : frame.plan->tiles) {
    const bool chosen = dice.unit() < share;
    if (!chosen && !frame.audits.is_disputed(tile->id)) continue;
    std::vector<NodeId> drawn = auditors(frame, *tile, dice);
    if (!drawn.empty()) frame.audits.add(tile->id, std::move(drawn));
  }
}

// At most two nodes that hold the plan and its weights and compute the same bits. For a disputed
// tile, nodes that have claimed nothing about it come first.
std::vector<NodeId> OwnFrames::auditors(const OwnedFrame& frame, const Tile& tile,
                                        Dice& dice) const {
  std::vector<NodeId> heard, fresh, drawn;
  for (const NodeId node :
       heirs_.able(config_.members, offers_.at(frame.hash), Heirs::Trust::certain)) {
    if (node == tile.home || !heirs_.may_replace(node, tile.home) ||
        !keeps_weights(frame.plan->loaded->plan, node, tile.id))
      continue;
    (frame.audits.has_claimed(tile.id, node) ? heard : fresh).push_back(node);
  }
  while (drawn.size() < 2 && !(fresh.empty() && heard.empty())) {
    std::vector<NodeId>& pool = fresh.empty() ? heard : fresh;
    const auto chosen = pool.begin() + static_cast<std::ptrdiff_t>(dice.below(pool.size()));
    drawn.push_back(*chosen);
    pool.erase(chosen);
  }
  return drawn;
}

void OwnFrames::take_result(NodeId from, const AuditResult& result) {
  OwnedFrame* frame = frame_of(result.key);
  if (frame == nullptr || result.plan != frame->hash) return;  // our own words pass no door
  const OwnAudit* audit = frame->audits.find_open(result.tile);
  if (audit == nullptr) return;
  const uint64_t number = result.key.frame;
  if (result.content) {
    frame->audits.claim(result.tile, from, result.attempt, *result.content);
    return compare(number, *frame, result.tile);
  }
  const NodeId home = frame->plan->tiles[result.tile.value]->home;
  if (from == home || audit->is_auditor(from)) end_audit(number, *frame, result.tile);
}

void OwnFrames::hear_content(const Done& done, OwnedFrame& frame) {
  const OwnAudit* audit = frame.audits.find_open(done.tile);
  if (audit == nullptr) return;
  const NodeId home = frame.plan->tiles[done.tile.value]->home;
  const uint64_t number = done.key.frame;
  frame.audits.computed(done, home);
  if (done.computed_by != home && audit->said_by(done.computed_by) == nullptr &&
      !may_still_claim(frame, done.computed_by))
    return end_audit(number, frame, done.tile);
  compare(number, frame, done.tile);
}

// A thief tells the content before it returns the tile. So its claim is on its way, unless it was
// out of reach meanwhile.
bool OwnFrames::may_still_claim(const OwnedFrame& frame, NodeId node) const {
  if (node == config_.id) return true;
  return peers_.is_joined(node) && !frame.audits.was_gone(node);
}

void OwnFrames::compare(uint64_t number, OwnedFrame& frame, TileId tile) {
  const std::optional<OwnAudits::Both> both = frame.audits.both(tile);
  if (!both) return;
  ++effects_.counters().tiles_audited;
  if (both->agree() && !frame.audits.is_disputed(tile)) return end_audit(number, frame, tile);
  dispute(number, frame, tile, *both);
}

void OwnFrames::dispute(uint64_t number, OwnedFrame& frame, TileId tile,
                        const OwnAudits::Both& both) {
  effects_.counters().tiles_disputed += both.agree() ? 0 : 1;
  OwnAudits::Verdict verdict = frame.audits.judge(tile, both);
  std::vector<NodeId>& liars = verdict.contradicting;
  std::erase_if(liars, [&](NodeId liar) { return offers_.distrusts(liar); });  // found elsewhere
  const std::string what =
      "tile " + std::to_string(tile.value) + " of frame " + std::to_string(number);
  if (!liars.empty()) {
    for (const NodeId liar : liars)
      distrust(liar, "it computed " + what + " differently from two others");
  } else if (both.agree() || verdict.right == both.first.content.outputs) {
    end_audit(number, frame, tile);
  } else {
    suspend(number, peers_.name_of(both.first.node) + " and " + peers_.name_of(both.second.node) +
                        " computed " + what + " differently");
  }
  open_next();
}

void OwnFrames::end_audit(uint64_t number, OwnedFrame& frame, TileId tile) {
  frame.audits.end(tile);
  complete_if_all_is_here(key_of(number, frame), frame);
}

// The node will make no further claims about frames under way, neither as an auditor nor as a
// thief.
void OwnFrames::lost_auditor(NodeId auditor) {
  std::vector<uint64_t> numbers;
  for (auto& [number, frame] : frames_) {
    if (frame.audits.open() == 0) continue;
    frame.audits.lose(auditor);
    numbers.push_back(number);
  }
  for (const uint64_t number : numbers) {
    OwnedFrame* frame = find_in(frames_, number);
    if (frame == nullptr) continue;
    // The frame may be gone with the last of its audits.
    for (const TileId tile : frame->audits.waiting_for(auditor)) end_audit(number, *frame, tile);
  }
}

// An auditor may be reachable and still send no result.
void OwnFrames::give_up_waiting_for_audits() {
  std::vector<uint64_t> held_up;
  for (const auto& [number, frame] : frames_)
    if (frame.stage == Stage::running && frame.outcome_here &&
        effects_.now() - *frame.outcome_here >= result_awaited)
      held_up.push_back(number);
  for (const uint64_t number : held_up) {
    OwnedFrame& frame = frames_.at(number);
    frame.audits.end_all();
    complete_if_all_is_here(key_of(number, frame), frame);
  }
}

// All frames under way are begun again, because any of them may hold tiles that the node computed
// or borrowed.
void OwnFrames::distrust(NodeId node, const std::string& why) {
  if (!offers_.distrust(node)) return;
  const std::string sentence = peers_.name_of(node) + " is trusted no more: " + why;
  effects_.report(Report::Kind::node_distrusted, {}, node, sentence);
  for (auto& [hash, offer] : offers_) {
    offer.answers[node] = {Answer::Kind::distrusted, sentence, effects_.now(), true};
    const KnownPlan* plan = plans_.known(hash);
    if (plan != nullptr && plan->is_home(node)) offers_.impair(hash, offer, node, sentence);
  }
  for (const auto& [hash, offer] : offers_) suspend_all(hash, sentence);
  abort_hopeless();
}

}  // namespace shingle

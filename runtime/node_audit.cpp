// Audits of tiles: at the owner, at the tile's home, and at the auditor.
//
//        owner                          home                       auditor
//          | --- FrameOpen{audits} -----> |                           |
//          |                              | --- Recheck ------------> |   the windows are covered
//          |                              | --- Piece (audit input) > |
//          | <-- Done{content} ---------- |                           |
//          | <-- Witness{content} ----------------------------------- |
//
// A frame is complete when its audits are. Contents that differ: the frame is begun again, the tile
// audited by somebody who has said nothing of it yet, until two nodes agree (runtime/audit.hpp).
// Who claimed something else is trusted no more: all that is under way is begun again without it;
// its tiles go to stand-ins, nobody lends it any, and nobody asks it to audit. A witness that
// cannot be had, because somebody is lost or full, holds nothing up.
#include <algorithm>

#include "partition/dice.hpp"
#include "runtime/node_state.hpp"

namespace shingle {

using Stage = OwnedFrame::Stage;

// --- owner ---

// A disputed tile is always among them.
void Node::State::draw_audits(uint64_t number, OwnedFrame& frame) {
  frame.audits.clear();
  frame.audits_open = 0;
  const double share = config.limits.audit_share;
  if (share <= 0.0 && frame.disputes.empty()) return;
  Dice dice(config.seed ^ (number << 20) ^ (uint64_t{frame.attempt} << 8) ^ config.id.value);
  for (const Tile* tile : frame.plan->tiles) {
    const bool chosen = dice.unit() < share;
    if (!chosen && !frame.disputes.contains(tile->id)) continue;
    const std::vector<NodeId> able = auditors(frame, *tile);
    if (able.empty()) continue;
    frame.audits[tile->id].auditor = able[dice.below(able.size())];
    ++frame.audits_open;
  }
}

// Whoever holds the plan and its weights and computes the same bits; for a disputed tile those
// first who have said nothing about it.
std::vector<NodeId> Node::State::auditors(const OwnedFrame& frame, const Tile& tile) const {
  std::vector<NodeId> all, fresh;
  const Offer& offer = offers.at(frame.hash);
  const auto dispute = frame.disputes.find(tile.id);
  for (const NodeId node : able(config.members, offer, Trust::certain)) {
    if (node == tile.home || !may_replace(node, tile.home) ||
        !keeps_weights(frame.plan->loaded->plan, node, tile.id))
      continue;
    all.push_back(node);
    const bool heard = dispute != frame.disputes.end() &&
                       std::any_of(dispute->second.begin(), dispute->second.end(),
                                   [&](const TileClaim& claim) { return claim.node == node; });
    if (!heard) fresh.push_back(node);
  }
  return fresh.empty() ? all : fresh;
}

FrameOpen Node::State::opening_for(const FrameKey& key, const OwnedFrame& frame,
                                   NodeId home) const {
  FrameOpen open{.key = key,
                 .plan = frame.hash,
                 .time_left = std::max(frame.deadline - now, Duration::zero()),
                 .shunned = {distrusted.begin(), distrusted.end()}};
  for (const auto& [tile, audit] : frame.audits)
    if (frame.plan->tiles[tile.value]->home == home) open.audits.push_back({tile, audit.auditor});
  return open;
}

void Node::State::on_witness(NodeId from, const Witness& witness) {
  OwnedFrame* frame = own_frame(witness.key);
  if (frame == nullptr) return;
  const auto audit = frame->audits.find(witness.tile);
  if (audit == frame->audits.end() || audit->second.over) return;
  const NodeId home = frame->plan->tiles[witness.tile.value]->home;
  if (!witness.content && (from == home || from == audit->second.auditor))
    return end_audit(witness.key.frame, *frame, audit->second);
  if (witness.content && from == audit->second.auditor) {
    audit->second.witnessed = witness.content;
    compare(witness.key.frame, *frame, witness.tile);
  }
}

void Node::State::hear_content(const Done& done) {
  OwnedFrame& frame = *own_frame(done.key);
  const auto audit = frame.audits.find(done.tile);
  if (audit == frame.audits.end() || audit->second.over) return;
  audit->second.claimed = done.content;
  compare(done.key.frame, frame, done.tile);
}

void Node::State::compare(uint64_t number, OwnedFrame& frame, TileId tile) {
  OwnAudit& audit = frame.audits.at(tile);
  if (!audit.claimed || !audit.witnessed) return;
  ++counters.tiles_audited;
  const bool same = *audit.claimed == *audit.witnessed;
  if (same && !frame.disputes.contains(tile)) return end_audit(number, frame, audit);
  counters.tiles_disputed += same ? 0 : 1;
  const NodeId home = frame.plan->tiles[tile.value]->home;
  std::vector<TileClaim>& claims = frame.disputes[tile];
  claims.push_back({home, *audit.claimed});
  claims.push_back({audit.auditor, *audit.witnessed});
  std::vector<NodeId> liars = contradicting(claims);
  std::erase_if(liars, [&](NodeId liar) { return distrusted.contains(liar); });  // found elsewhere
  const std::optional<uint64_t> right = agreed(claims, audit.claimed->windows);
  const std::string what =
      "tile " + std::to_string(tile.value) + " of frame " + std::to_string(number);
  if (right) frame.disputes.erase(tile);
  if (!liars.empty()) {
    for (const NodeId liar : liars)
      distrust(liar, "it computed " + what + " differently from two others");
  } else if (same || right == audit.claimed->outputs) {
    end_audit(number, frame, audit);
  } else {
    suspend(number, name_of(home) + " and " + name_of(audit.auditor) + " computed " + what +
                        " differently");
  }
  open_next();
}

void Node::State::end_audit(uint64_t number, OwnedFrame& frame, OwnAudit& audit) {
  audit.over = true;
  --frame.audits_open;
  complete_if_all_is_here(own_key(number, frame), frame);
}

// Of frames under way; those with whom it was to be compared have nothing to wait for.
void Node::State::owner_lost_auditor(NodeId auditor) {
  std::vector<uint64_t> numbers;
  for (const auto& [number, frame] : owned)
    if (frame.audits_open > 0) numbers.push_back(number);
  for (const uint64_t number : numbers) {
    const auto frame = owned.find(number);
    if (frame == owned.end()) continue;
    std::vector<TileId> tiles;
    for (const auto& [tile, audit] : frame->second.audits)
      if (audit.auditor == auditor && !audit.over) tiles.push_back(tile);
    for (const TileId tile : tiles)  // the frame is gone with the last of them, if at all
      end_audit(number, frame->second, frame->second.audits.at(tile));
  }
}

// For as long as this owner lives: a machine that computes wrongly does not heal by starting anew.
// Any frame under way may hold tiles of it, borrowed ones too.
void Node::State::distrust(NodeId node, const std::string& why) {
  if (!distrusted.insert(node).second) return;
  const std::string sentence = name_of(node) + " is trusted no more: " + why;
  report(Report::Kind::node_distrusted, {}, node, sentence);
  for (auto& [hash, offer] : offers) {
    offer.answers[node] = {Answer::Kind::distrusted, sentence, now, true};
    const KnownPlan* plan = known(hash);
    if (plan != nullptr && plan->is_home(node)) impair_plan(hash, offer, node, sentence);
  }
  for (const auto& [hash, offer] : offers) suspend_frames(hash, sentence);
  abort_hopeless_frames();
}

// --- home ---

// As soon as the windows are covered: the auditor computes while the home does.
void Node::State::request_audit(const FrameKey& key, HomeFrame& frame, TileId tile) {
  const auto audit = frame.audits.find(tile);
  if (audit == frame.audits.end()) return;
  const auto peer = peers.find(audit->second.auditor);
  if (peer == peers.end() || !peer->second.joined) return give_audit_up(key, tile, audit->second);
  audit->second.asked = true;
  const LoadedPlan& plan = *frame.plan->loaded;
  send(peer->first, Recheck{{key, plan.hash, tile, 0}});
  uint32_t index = 0;
  for (const Chunk& chunk : lent_chunks(plan, frame.plan->tiles[tile.value]->inputs)) {
    const CanvasKey source{.frame = key, .place = Place::home, .tensor = chunk.tensor, .tile = {}};
    ++frame.users[static_cast<size_t>(frame.plan->canvas_of_tensor[chunk.tensor.value])];
    transfer(peer->first, {.urgency = urgency(key, frame, tile),
                           .piece = {.key = key,
                                     .plan = prefix64(plan.hash),
                                     .role = Piece::Role::audit_input,
                                     .tile = tile,
                                     .attempt = 0,
                                     .index = index++},
                           .source = source,
                           .region = chunk.region,
                           .bytes = chunk.bytes});
  }
}

void Node::State::give_audit_up(const FrameKey& key, TileId tile, HomeAudit& audit) {
  audit.asked = false;
  send(key.owner, Witness{key, tile, {}});
}

void Node::State::home_lost_auditor(NodeId auditor) {
  for (auto& [key, frame] : homes) {
    if (frame.closed) continue;
    for (auto& [tile, audit] : frame.audits)
      if (audit.asked && audit.auditor == auditor) give_audit_up(key, tile, audit);
  }
}

// The frame is closed: whoever was asked need not go on.
void Node::State::void_audits(const FrameKey& key, const HomeFrame& frame) {
  std::set<NodeId> asked;
  for (const auto& [tile, audit] : frame.audits)
    if (audit.asked) asked.insert(audit.auditor);
  for (const NodeId auditor : asked) send(auditor, FrameClosed{key, true});
}

// --- auditor ---

// What the audits that this node has taken on keep in canvases.
Node::State::AuditsHeld Node::State::audits_held() const {
  AuditsHeld held;
  for (const auto& [key, tile] : borrowed) {
    if (!tile.audit) continue;
    ++held.tiles;
    held.bytes += moved_bytes(*tile.plan->loaded, *tile.plan->tiles[key.tile.value]);
  }
  return held;
}

bool Node::State::may_audit(NodeId home, const Assign& wanted) const {
  const KnownPlan* plan = known(wanted.plan);
  if (plan == nullptr || config.limits.compute_slots == 0 || is_damaged()) return false;
  if (wanted.tile.value >= plan->tiles.size()) return false;
  const Tile& tile = *plan->tiles[wanted.tile.value];
  if (tile.home != home || borrowed.contains({wanted.key, wanted.tile})) return false;
  const AuditsHeld held = audits_held();
  return held.tiles < config.limits.audits_held &&
         held.bytes + moved_bytes(*plan->loaded, tile) <= config.limits.audit_bytes;
}

// A Borrowed tile whose outputs nobody wants but their content.
void Node::State::on_recheck(NodeId from, const Recheck& recheck) {
  const Assign& wanted = recheck.assign;
  if (!may_audit(from, wanted)) return send(wanted.key.owner, Witness{wanted.key, wanted.tile, {}});
  const TileKey key{wanted.key, wanted.tile};
  Borrowed& tile = borrow_from(from, key, *known(wanted.plan), 0);
  tile.audit = true;
  if (tile.missing == 0) fill(key, tile);
}

}  // namespace shingle

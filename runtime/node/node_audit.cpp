// Audits of tiles: at the owner, at the tile's home, and at the auditor.
//
//        owner                          home                       auditor
//          | --- FrameOpen{audits} -----> |                           |
//          |                              | --- AuditRequest ------------> |   it begins to
//          compute, or |                              | --- Piece (audit input) > |   lends the
//          tile | <-- Done{content} ---------- |                           | | <--
//          AuditResult{content} ----------------------------------- |
//
// Of a tile that is lent the thief tells the content itself, so it is blamed by its own words only,
// never by what its victim says of it. Whoever borrows a tile does not audit it: for that case the
// owner draws a second auditor, so thieves are audited as often as homes.
//
// A frame is complete when its audits are. Contents that differ: the frame is begun again, the tile
// audited by somebody who has said nothing of it yet, until two nodes agree
// (runtime/node/audit.hpp). Who claimed something else is trusted no more: all that is under way is
// begun again without it; its tiles go to stand-ins, nobody lends it any, and nobody asks it to
// audit. A witness that cannot be had, because somebody is lost or full, holds nothing up.
#include <algorithm>

#include "runtime/node/node_state.hpp"

namespace shingle {

using Stage = OwnedFrame::Stage;

namespace {

constexpr Duration witness_awaited = std::chrono::seconds(60);  // when all else is here

}  // namespace

// --- owner ---

// A disputed tile is always among them.
void Node::State::draw_audits(uint64_t number, OwnedFrame& frame) {
  frame.audits.clear();
  frame.audits_open = 0;
  frame.gone.clear();
  for (const auto& [node, peer] : peers)
    if (!peer.joined) frame.gone.insert(node);
  const double share = config.limits.audit_share;
  if (share <= 0.0 && frame.disputes.empty()) return;
  Dice dice(config.seed ^ (number << 20) ^ (uint64_t{frame.attempt} << 8) ^ config.id.value);
  for (const Tile* tile : frame.plan->tiles) {
    const bool chosen = dice.unit() < share;
    if (!chosen && !frame.disputes.contains(tile->id)) continue;
    std::vector<NodeId> drawn = auditors(frame, *tile, dice);
    if (drawn.empty()) continue;
    frame.audits[tile->id].auditors = std::move(drawn);
    ++frame.audits_open;
  }
}

// Two of those, or one, who hold the plan and its weights and compute the same bits; for a disputed
// tile those first who have said nothing about it.
std::vector<NodeId> Node::State::auditors(const OwnedFrame& frame, const Tile& tile,
                                          Dice& dice) const {
  std::vector<NodeId> heard, fresh, drawn;
  const Offer& offer = offers.at(frame.hash);
  const std::vector<TileClaim>* dispute = find_in(frame.disputes, tile.id);
  for (const NodeId node : able(config.members, offer, Trust::certain)) {
    if (node == tile.home || !may_replace(node, tile.home) ||
        !keeps_weights(frame.plan->loaded->plan, node, tile.id))
      continue;
    const bool has_claimed = dispute != nullptr && std::any_of(dispute->begin(), dispute->end(),
                                                               [&](const TileClaim& claim) {
                                                                 return claim.node == node;
                                                               });
    (has_claimed ? heard : fresh).push_back(node);
  }
  while (drawn.size() < 2 && !(fresh.empty() && heard.empty())) {
    std::vector<NodeId>& pool = fresh.empty() ? heard : fresh;
    const auto chosen = pool.begin() + static_cast<std::ptrdiff_t>(dice.below(pool.size()));
    drawn.push_back(*chosen);
    pool.erase(chosen);
  }
  return drawn;
}

FrameOpen Node::State::opening_for(const FrameKey& key, const OwnedFrame& frame,
                                   NodeId home) const {
  FrameOpen open{.key = key,
                 .plan = frame.hash,
                 .time_left = std::max(frame.deadline - now, Duration::zero()),
                 .shunned = {distrusted.begin(), distrusted.end()}};
  for (const auto& [tile, audit] : frame.audits)
    if (frame.plan->tiles[tile.value]->home == home)
      for (const NodeId auditor : audit.auditors) open.audits.push_back({tile, auditor});
  return open;
}

const TileContent* OwnAudit::said_by(NodeId node) const {
  const Claim* claim = find_in(claims, node);
  if (claim == nullptr) return nullptr;
  const bool of_another = computed_by == node && claim->attempt != attempt;
  return of_another ? nullptr : &claim->content;
}

void Node::State::on_audit_result(NodeId from, const AuditResult& witness) {
  OwnedFrame* frame = own_frame(witness.key);
  if (frame == nullptr || witness.plan != frame->hash) return;  // our own words pass no door
  OwnAudit* own = find_in(frame->audits, witness.tile);
  if (own == nullptr || own->over) return;
  if (witness.content) {
    const auto [claim, first] =
        own->claims.try_emplace(from, OwnAudit::Claim{witness.attempt, *witness.content});
    if (!first && witness.attempt > claim->second.attempt)
      claim->second = {witness.attempt, *witness.content};
    return compare(witness.key.frame, *frame, witness.tile);
  }
  const NodeId home = frame->plan->tiles[witness.tile.value]->home;
  if (from == home ||
      std::find(own->auditors.begin(), own->auditors.end(), from) != own->auditors.end())
    end_audit(witness.key.frame, *frame, *own);
}

void Node::State::hear_content(const Done& done) {
  OwnedFrame& frame = *own_frame(done.key);
  OwnAudit* own = find_in(frame.audits, done.tile);
  if (own == nullptr || own->over) return;
  own->computed_by = done.computed_by;
  own->attempt = done.attempt;
  if (done.computed_by == frame.plan->tiles[done.tile.value]->home)
    own->claims.insert_or_assign(done.computed_by, OwnAudit::Claim{done.attempt, done.content});
  else if (own->said_by(done.computed_by) == nullptr && !may_still_claim(frame, done.computed_by))
    return end_audit(done.key.frame, frame, *own);
  compare(done.key.frame, frame, done.tile);
}

// A thief says what it computed before it returns that. Unless it was out of reach meanwhile, it is
// on its way.
bool Node::State::may_still_claim(const OwnedFrame& frame, NodeId node) const {
  if (node == config.id) return true;
  const Peer* peer = find_in(peers, node);
  return peer != nullptr && peer->joined && !frame.gone.contains(node);
}

void Node::State::compare(uint64_t number, OwnedFrame& frame, TileId tile) {
  OwnAudit& audit = frame.audits.at(tile);
  if (!audit.computed_by || audit.said_by(*audit.computed_by) == nullptr) return;
  const auto witness =
      std::find_if(audit.auditors.begin(), audit.auditors.end(), [&](NodeId auditor) {
        return auditor != *audit.computed_by && audit.said_by(auditor) != nullptr;
      });
  if (witness == audit.auditors.end()) return;
  ++counters.tiles_audited;
  const TileClaim first{*audit.computed_by, *audit.said_by(*audit.computed_by)};
  const TileClaim second{*witness, *audit.said_by(*witness)};
  if (first.content == second.content && !frame.disputes.contains(tile))
    return end_audit(number, frame, audit);
  dispute(number, frame, tile, first, second);
}

void Node::State::dispute(uint64_t number, OwnedFrame& frame, TileId tile, const TileClaim& first,
                          const TileClaim& second) {
  const bool same = first.content == second.content;
  counters.tiles_disputed += same ? 0 : 1;
  std::vector<TileClaim>& claims = frame.disputes[tile];
  claims.push_back(first);
  claims.push_back(second);
  std::vector<NodeId> liars = contradicting(claims);
  std::erase_if(liars, [&](NodeId liar) { return distrusted.contains(liar); });  // found elsewhere
  const std::optional<uint64_t> right = agreed(claims, first.content.windows);
  const std::string what =
      "tile " + std::to_string(tile.value) + " of frame " + std::to_string(number);
  if (right) frame.disputes.erase(tile);
  if (!liars.empty()) {
    for (const NodeId liar : liars)
      distrust(liar, "it computed " + what + " differently from two others");
  } else if (same || right == first.content.outputs) {
    end_audit(number, frame, frame.audits.at(tile));
  } else {
    suspend(number, name_of(first.node) + " and " + name_of(second.node) + " computed " + what +
                        " differently");
  }
  open_next();
}

void Node::State::end_audit(uint64_t number, OwnedFrame& frame, OwnAudit& audit) {
  audit.over = true;
  --frame.audits_open;
  complete_if_all_is_here(own_key(number, frame), frame);
}

// Of frames under way, or a thief: what it has not said yet it will not say.
void Node::State::owner_lost_auditor(NodeId auditor) {
  std::vector<uint64_t> numbers;
  for (auto& [number, frame] : owned) {
    if (frame.audits_open == 0) continue;
    frame.gone.insert(auditor);
    numbers.push_back(number);
  }
  const auto waits_for_it = [&](const OwnAudit& audit) {
    const bool drawn =
        std::find(audit.auditors.begin(), audit.auditors.end(), auditor) != audit.auditors.end();
    return !audit.over && audit.said_by(auditor) == nullptr &&
           (drawn || audit.computed_by == auditor);
  };
  for (const uint64_t number : numbers) {
    OwnedFrame* frame = find_in(owned, number);
    if (frame == nullptr) continue;
    std::vector<TileId> tiles;
    for (const auto& [tile, audit] : frame->audits)
      if (waits_for_it(audit)) tiles.push_back(tile);
    for (const TileId tile : tiles)  // the frame is gone with the last of them, if at all
      end_audit(number, *frame, frame->audits.at(tile));
  }
}

// With every beat. An auditor may be there and say nothing, for whatever reason: then it has no
// opinion.
void Node::State::give_up_waiting_for_witnesses() {
  std::vector<uint64_t> held_up;
  for (const auto& [number, frame] : owned)
    if (frame.stage == Stage::running && frame.outcome_here &&
        now - *frame.outcome_here >= witness_awaited)
      held_up.push_back(number);
  for (const uint64_t number : held_up) {
    OwnedFrame& frame = owned.at(number);
    for (auto& [tile, audit] : frame.audits) audit.over = true;
    frame.audits_open = 0;
    complete_if_all_is_here(own_key(number, frame), frame);
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

// As soon as it is known who computes the tile: the auditor does at the same time. Once, also if
// the tile comes back from a thief. False: nobody audits it.
bool Node::State::request_audit(const FrameKey& key, HomeFrame& frame, TileId tile,
                                NodeId computer) {
  HomeAudit* audit = find_in(frame.audits, tile);
  if (audit == nullptr) return false;
  if (audit->asked) return true;
  const std::optional<NodeId> auditor = auditor_beside(*audit, computer);
  if (!auditor) {
    give_audit_up(key, frame, tile);
    return false;
  }
  audit->asked = auditor;
  const LoadedPlan& plan = *frame.plan->loaded;
  send(*auditor, AuditRequest{{key, plan.hash, tile, 0, true}});
  uint32_t index = 0;
  for (const Chunk& chunk : lent_chunks(plan, frame.plan->tiles[tile.value]->inputs)) {
    const CanvasKey source{.frame = key, .place = Place::home, .tensor = chunk.tensor, .tile = {}};
    ++frame.users[static_cast<size_t>(frame.plan->canvas_of_tensor[chunk.tensor.value])];
    transfer(*auditor, {.urgency = urgency(key, frame, tile),
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
  return true;
}

std::optional<NodeId> Node::State::auditor_beside(const HomeAudit& audit, NodeId computer) const {
  const auto there = [&](NodeId auditor) {
    const Peer* peer = find_in(peers, auditor);
    return auditor != computer && peer != nullptr && peer->joined;
  };
  const auto first = std::find_if(audit.auditors.begin(), audit.auditors.end(), there);
  return first == audit.auditors.end() ? std::nullopt : std::optional(*first);
}

void Node::State::give_audit_up(const FrameKey& key, HomeFrame& frame, TileId tile) {
  frame.audits.erase(tile);
  send(key.owner, AuditResult{key, frame.plan->hash(), tile, frame.tiles[tile.value].attempt, {}});
}

void Node::State::home_lost_auditor(NodeId auditor) {
  for (auto& [key, frame] : homes) {
    if (frame.closed) continue;
    std::vector<TileId> unheard;
    for (const auto& [tile, audit] : frame.audits)
      if (audit.asked == auditor) unheard.push_back(tile);
    for (const TileId tile : unheard) give_audit_up(key, frame, tile);
  }
}

// The frame is closed: whoever was asked need not go on.
void Node::State::void_audits(const FrameKey& key, const HomeFrame& frame) {
  std::set<NodeId> asked;
  for (const auto& [tile, audit] : frame.audits)
    if (audit.asked) asked.insert(*audit.asked);
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
  if (plan == nullptr || config.limits.compute_slots == 0 || is_damaged() || hangs()) return false;
  if (wanted.tile.value >= plan->tiles.size()) return false;
  const Tile& tile = *plan->tiles[wanted.tile.value];
  if (tile.home != home || borrowed.contains({wanted.key, wanted.tile})) return false;
  const AuditsHeld held = audits_held();
  return held.tiles < config.limits.audits_held &&
         held.bytes + moved_bytes(*plan->loaded, tile) <= config.limits.audit_bytes;
}

// A Borrowed tile whose outputs nobody wants but their content.
void Node::State::on_audit_request(NodeId from, const AuditRequest& audit_request) {
  const Assign& wanted = audit_request.assign;
  if (!may_audit(from, wanted))
    return send(wanted.key.owner,
                AuditResult{wanted.key, wanted.plan, wanted.tile, wanted.attempt, {}});
  Borrowed& tile = borrow_from(from, wanted, *known(wanted.plan));
  tile.audit = tile.audited = true;
}

}  // namespace shingle

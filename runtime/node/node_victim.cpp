// The victim's part: tiles of this home that a thief computes.
//
// A loan keeps the tile's windows here, so a lost thief costs time only: the tile goes back into
// the queue under the next attempt, and what the old attempt may still bring is recognised by its
// number. So does a late thief's, once this home has nothing else to do.
#include <algorithm>

#include "runtime/node/node_state.hpp"

namespace shingle {

namespace {

constexpr int lateness = 2;  // times what a loan was expected to take, there and back

}  // namespace

void Node::State::on_steal_request(NodeId from, const StealRequest& request) {
  const std::optional<ReadyTile> candidate = tile_to_lend(from, request);
  if (!candidate) return send(from, StealReply{});
  lend(from, *candidate);
}

// The tile that would run last here, if the thief can run it and it pays.
std::optional<ReadyTile> Node::State::tile_to_lend(NodeId thief,
                                                   const StealRequest& request) const {
  if (!config.limits.steals || ready.size() <= config.limits.steal_keep) return {};
  const auto may_go = [&](const ReadyTile& tile) {
    if (tile.place != Place::home) return false;
    const HomeFrame& frame = homes.at(tile.urgency.frame);
    return !frame.tiles[tile.tile.value].stays && leaves_an_auditor(frame, tile.tile, thief) &&
           !frame.shunned.contains(thief) &&
           keeps_weights(frame.plan->loaded->plan, thief, tile.tile) &&
           std::find(request.plans.begin(), request.plans.end(), prefix64(frame.plan->hash())) !=
               request.plans.end();
  };
  const std::optional<ReadyTile> last = ready.last_if(may_go);
  if (!last || !worth_lending(estimate(peers.at(thief), *last))) return {};
  return last;
}

// Whoever audits a tile must not compute it as well.
bool Node::State::leaves_an_auditor(const HomeFrame& frame, TileId tile, NodeId thief) const {
  const HomeAudit* audit = find_in(frame.audits, tile);
  if (audit == nullptr) return true;
  if (audit->asked) return audit->asked != thief;
  return auditor_beside(*audit, thief).has_value();
}

LoanEstimate Node::State::estimate(const Peer& thief, const ReadyTile& candidate) const {
  const auto compute_time = [&](const ReadyTile& tile) {
    if (tile.place != Place::home) return Duration::zero();
    const KnownPlan& plan = *homes.at(tile.urgency.frame).plan;
    const Duration measured = plan.measured[plan.block_of_tile[tile.tile.value]];
    if (measured > Duration::zero()) return measured;
    return work_time(plan.tiles[tile.tile.value]->macs, picoseconds_per_mac);
  };
  LoanEstimate estimate;
  ready.visit([&](const ReadyTile& other) {
    if (other != candidate) estimate.wait_at_home += compute_time(other);
  });
  estimate.compute_at_home = compute_time(candidate);
  // What runs now may be done in a moment: only what queues counts.
  estimate.wait_at_home /= std::max(config.limits.compute_slots, 1U);
  if (thief.picoseconds_per_mac > 0 && picoseconds_per_mac > 0)
    estimate.slowness = static_cast<double>(thief.picoseconds_per_mac) / picoseconds_per_mac;
  const KnownPlan& plan = *homes.at(candidate.urgency.frame).plan;
  estimate.moved_bytes = moved_bytes(*plan.loaded, *plan.tiles[candidate.tile.value]);
  estimate.bytes_per_second = thief.link.bytes_per_second();
  return estimate;
}

void Node::State::lend(NodeId thief, const ReadyTile& lent) {
  const TileKey key{lent.urgency.frame, lent.tile};
  HomeFrame& frame = homes.at(key.frame);
  HomeTile& state = frame.tiles[key.tile.value];
  const LoadedPlan& plan = *frame.plan->loaded;
  const Tile& tile = *frame.plan->tiles[key.tile.value];
  ready.erase(lent);
  state.state = TileState::lent;
  Loan& loan = loans[key];
  loan = {.thief = thief,
          .attempt = state.attempt,
          .since = now,
          .expected = time_lent(estimate(peers.at(thief), lent)),
          .unsent = 0,
          .outputs = lent_chunks(plan, tile.outputs),
          .arrived = {},
          .missing = 0};
  loan.missing = loan.outputs.size();
  loan.arrived.assign(loan.missing, false);
  ++counters.tiles_lent;
  report(Report::Kind::tile_lent, key.frame, thief);
  std::get<Report>(out->back()).tile = key.tile;
  const bool audited = request_audit(key.frame, frame, key.tile, thief);
  send(thief, StealReply{Assign{key.frame, plan.hash, key.tile, state.attempt, audited}});
  const std::vector<Chunk> inputs = lent_chunks(plan, tile.inputs);
  loan.unsent = inputs.size();
  uint32_t index = 0;
  for (const Chunk& chunk : inputs)
    transfer(
        thief,
        {.urgency = lent.urgency,
         .piece = {.key = key.frame,
                   .plan = prefix64(plan.hash),
                   .role = Piece::Role::lent_input,
                   .tile = key.tile,
                   .attempt = state.attempt,
                   .index = index++},
         .source = {.frame = key.frame, .place = Place::home, .tensor = chunk.tensor, .tile = {}},
         .region = chunk.region,
         .bytes = chunk.bytes});
}

void Node::State::on_lent_output(NodeId from, const Piece& piece) {
  const TileKey key{piece.key, piece.tile};
  Loan* lent = find_in(loans, key);
  if (lent == nullptr) return;
  Loan& loan = *lent;
  if (loan.thief != from || loan.attempt != piece.attempt || loan.arrived[piece.index]) return;
  loan.arrived[piece.index] = true;
  const Chunk& chunk = loan.outputs[piece.index];
  act(Paste{
      .plan = homes.at(piece.key).plan->hash(),
      .target = {.frame = piece.key, .place = Place::home, .tensor = chunk.tensor, .tile = {}},
      .region = chunk.region,
      .source = {}});
  if (--loan.missing > 0) return;
  const Duration turnaround = now - loan.since;
  loans.erase(key);
  finish_tile(piece.key, piece.tile, from, turnaround);
}

void Node::State::on_given_back(NodeId from, const Failed& failed) {
  const TileKey key{failed.key, failed.tile};
  const Loan* loan = find_in(loans, key);
  if (loan != nullptr && loan->thief == from && loan->attempt == failed.attempt)
    take_back(key, true);
}

void Node::State::take_back(TileKey key, bool stays) {
  const NodeId thief = loans.at(key).thief;
  loans.erase(key);
  HomeFrame& frame = homes.at(key.frame);
  HomeTile& tile = frame.tiles[key.tile.value];
  ++tile.attempt;
  tile.stays = stays;
  const auto is_its_input = [&](const Outgoing& outgoing) {
    return outgoing.piece.role == Piece::Role::lent_input && outgoing.piece.key == key.frame &&
           outgoing.piece.tile == key.tile;
  };
  peers.at(thief).link.drop_if(is_its_input);
  make_ready(key.frame, frame, key.tile);
}

// The oldest frames' first. Not where this node computes nothing: a late tile is better than none.
void Node::State::hedge() {
  while (running + ready.size() < config.limits.compute_slots && !is_damaged()) {
    const auto late = std::find_if(loans.begin(), loans.end(),
                                   [&](const auto& entry) { return is_late(entry.second); });
    if (late == loans.end()) return;
    const auto& [key, loan] = *late;
    ++counters.tiles_hedged;
    send(loan.thief,
         Failed{Failed::Kind::voided, key.frame, key.tile, loan.attempt, "it was late"});
    take_back(key, true);
  }
}

// Where nobody has measured what the tile takes, any time is believed that a first tile may take.
bool Node::State::is_late(const Loan& loan) const {
  const Duration allowed = loan.expected > Duration::zero()
                               ? std::max(lateness * loan.expected, config.limits.beat_every)
                               : config.limits.first_tile_allowed;
  return now - loan.since >= allowed;
}

// The frame is closed: whoever borrowed of it need not go on.
void Node::State::void_loans(const FrameKey& key) {
  std::set<NodeId> thieves;
  std::erase_if(loans, [&](const auto& entry) {
    if (entry.first.frame != key) return false;
    thieves.insert(entry.second.thief);
    return true;
  });
  for (const NodeId thief : thieves) send(thief, FrameClosed{key, true});
}

void Node::State::victim_lost_thief(NodeId thief) {
  std::vector<TileKey> lost;
  for (const auto& [key, loan] : loans)
    if (loan.thief == thief) lost.push_back(key);
  for (const TileKey& key : lost) take_back(key, false);
}

}  // namespace shingle

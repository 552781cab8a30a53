#include "runtime/node/tiles/lending.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

Lending::Lending(const NodeConfig& config, Peers& peers, const Health& health,
                 const ComputeSpeed& speed, ReadyQueue& ready, Loans& loans, HomeFrames& frames,
                 Effects& effects)
    : config_(config),
      peers_(peers),
      health_(health),
      speed_(speed),
      ready_(ready),
      loans_(loans),
      frames_(frames),
      effects_(effects) {}

void Lending::asked(NodeId thief, const StealRequest& request) {
  assert(peers_.is_joined(thief));
  const std::optional<ReadyTile> candidate = tile_for(thief, request);
  if (!candidate) return effects_.send(thief, StealReply{});
  lend(thief, *candidate);
}

// The tile that would run last here, if the thief can run it and it pays.
std::optional<ReadyTile> Lending::tile_for(NodeId thief, const StealRequest& request) const {
  if (!config_.limits.steals || ready_.size() <= config_.limits.steal_keep) return {};
  const std::optional<ReadyTile> last =
      ready_.last_if([&](const ReadyTile& tile) { return may_lend(tile, thief, request); });
  if (!last || !worth_lending(estimate(peers_.at(thief), *last))) return {};
  return last;
}

bool Lending::may_lend(const ReadyTile& tile, NodeId thief, const StealRequest& request) const {
  if (tile.place != Place::home) return false;
  const HomeFrame& frame = frames_.at(tile.urgency.frame);
  return !frame.tiles[tile.tile.value].stays &&
         frames_.leaves_an_auditor(frame, tile.tile, thief) && !frame.excluded.contains(thief) &&
         keeps_weights(frame.plan->loaded->plan, thief, tile.tile) &&
         std::find(request.plans.begin(), request.plans.end(), prefix64(frame.plan->hash())) !=
             request.plans.end();
}

// How long the tile takes here. Zero: not measured yet, or a borrowed tile, which does not count.
Duration Lending::compute_time(const ReadyTile& tile) const {
  if (tile.place != Place::home) return Duration::zero();
  const KnownPlan& plan = *frames_.at(tile.urgency.frame).plan;
  const Duration measured = ComputeSpeed::measured(plan, tile.tile);
  if (measured > Duration::zero() || speed_.picoseconds_per_mac() == 0) return measured;
  // A tile that only moves elements has no MACs. It takes little time, which is not unknown: lent
  // as if nothing were measured, it would move all of them over the wire.
  return std::max(speed_.by_work(plan, tile.tile), Duration(1));
}

LoanEstimate Lending::estimate(const Peer& thief, const ReadyTile& candidate) const {
  LoanEstimate estimate;
  ready_.visit([&](const ReadyTile& other) {
    if (other != candidate) estimate.wait_at_home += compute_time(other);
  });
  estimate.compute_at_home = compute_time(candidate);
  // Running tiles may be done in a moment, so only queued tiles count.
  estimate.wait_at_home /= std::max(config_.limits.compute_slots, 1U);
  const uint32_t own_speed = speed_.picoseconds_per_mac();
  if (thief.picoseconds_per_mac > 0 && own_speed > 0)
    estimate.slowness = static_cast<double>(thief.picoseconds_per_mac) / own_speed;
  const KnownPlan& plan = *frames_.at(candidate.urgency.frame).plan;
  estimate.moved_bytes = moved_bytes(*plan.loaded, *plan.tiles[candidate.tile.value]);
  estimate.bytes_per_second = thief.link.bytes_per_second();
  return estimate;
}

void Lending::lend(NodeId thief, const ReadyTile& lent) {
  const TileKey key{lent.urgency.frame, lent.tile};
  HomeFrame& frame = frames_.at(key.frame);
  HomeTile& state = frame.tiles[key.tile.value];
  assert(state.state == TileState::ready);
  const LoadedPlan& plan = *frame.plan->loaded;
  const Tile& tile = *frame.plan->tiles[key.tile.value];
  ready_.erase(lent);
  state.state = TileState::lent;
  const std::vector<LentPart> windows = lent_parts(plan, tile.inputs);
  loans_.begin(key, {.thief = thief,
                     .attempt = state.attempt,
                     .since = effects_.now(),
                     .expected = time_lent(estimate(peers_.at(thief), lent)),
                     .unsent = windows.size(),
                     .outputs = lent_parts(plan, tile.outputs),
                     .arrived = {},
                     .missing = 0});
  ++effects_.counters().tiles_lent;
  effects_.report(Report::Kind::tile_lent, key.frame, thief).tile = key.tile;
  const bool audited = frames_.request_audit(key.frame, frame, key.tile, thief);
  effects_.send(thief, StealReply{Assign{key.frame, plan.hash, key.tile, state.attempt, audited}});
  send_windows(thief, lent, windows);
}

void Lending::send_windows(NodeId thief, const ReadyTile& lent,
                           const std::vector<LentPart>& windows) {
  const FrameKey& key = lent.urgency.frame;
  const HomeFrame& frame = frames_.at(key);
  uint32_t index = 0;
  for (const LentPart& part : windows)
    effects_.transfer(
        thief, {.urgency = lent.urgency,
                .piece = {.key = key,
                          .plan = prefix64(frame.plan->hash()),
                          .role = Piece::Role::lent_input,
                          .tile = lent.tile,
                          .attempt = frame.tiles[lent.tile.value].attempt,
                          .index = index++},
                .source = {.frame = key, .place = Place::home, .tensor = part.tensor, .tile = {}},
                .region = part.region,
                .bytes = part.bytes});
}

void Lending::take_output(NodeId from, const Piece& piece) {
  const LentPart* part = loans_.take(from, piece);
  if (part == nullptr) return;
  effects_.act(Paste{
      .plan = frames_.at(piece.key).plan->hash(),
      .target = {.frame = piece.key, .place = Place::home, .tensor = part->tensor, .tile = {}},
      .region = part->region,
      .source = {}});
  const TileKey key{piece.key, piece.tile};
  if (loans_.find(key)->missing > 0) return;
  const Loan loan = loans_.end(key);
  frames_.finish(piece.key, piece.tile, from, effects_.now() - loan.since);
}

void Lending::given_back(NodeId from, const Failed& failed) {
  const TileKey key{failed.key, failed.tile};
  const Loan* loan = loans_.find(key);
  if (loan != nullptr && loan->thief == from && loan->attempt == failed.attempt)
    take_back(key, true);
}

void Lending::take_back(const TileKey& key, bool stays) {
  const NodeId thief = loans_.end(key).thief;
  HomeFrame& frame = frames_.at(key.frame);
  HomeTile& tile = frame.tiles[key.tile.value];
  assert(tile.state == TileState::lent);
  ++tile.attempt;
  tile.stays = stays;
  peers_.at(thief).link.drop_if([&](const Outgoing& outgoing) {
    return outgoing.piece.role == Piece::Role::lent_input && outgoing.piece.key == key.frame &&
           outgoing.piece.tile == key.tile;
  });
  frames_.make_ready(key.frame, frame, key.tile);
}

void Lending::lost_thief(NodeId thief) {
  for (const TileKey& key : loans_.lent_to(thief)) take_back(key, false);
}

bool Lending::may_hedge() const {
  return loans_.size() > 0 && health_.is_sound() &&
         health_.running() + ready_.size() < config_.limits.compute_slots;
}

// A node that computes nothing takes no loan back: a late tile is better than none.
void Lending::hedge() {
  while (may_hedge()) {
    const std::optional<TileKey> late = loans_.first_late();
    if (!late) return;
    const Loan& loan = *loans_.find(*late);
    ++effects_.counters().tiles_hedged;
    effects_.send(loan.thief, Failed{Failed::Kind::voided, late->frame, late->tile, loan.attempt,
                                     "it was late"});
    take_back(*late, true);
  }
}

}  // namespace shingle

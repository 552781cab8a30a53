// Requests of the thief, and of homes that want a tile audited.
#include "runtime/node/tiles/borrowing.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

Borrowing::Borrowing(const NodeConfig& config, Peers& peers, Plans& plans, const HomeFrames& homes,
                     const Health& health, ReadyQueue& ready, Effects& effects)
    : config_(config),
      peers_(peers),
      plans_(plans),
      homes_(homes),
      health_(health),
      ready_(ready),
      effects_(effects) {}

const Borrowed& Borrowing::at(const TileKey& key) const {
  const Borrowed* tile = find(key);
  assert(tile != nullptr);
  return *tile;
}

size_t Borrowing::count(Borrowed::Stage stage) const {
  return static_cast<size_t>(std::count_if(tiles_.begin(), tiles_.end(), [&](const auto& entry) {
    return entry.second.stage == stage;
  }));
}

bool Borrowing::uses(const PlanHash& plan) const {
  return std::any_of(tiles_.begin(), tiles_.end(),
                     [&](const auto& entry) { return entry.second.plan->hash() == plan; });
}

bool Borrowing::has_free_slot() const {
  return health_.running() + ready_.size() + count(Borrowed::Stage::filling) <
         config_.limits.compute_slots;
}

// A slot that was free before a frame was granted has waited only since then. REQUIRES: a slot is
// free.
Time Borrowing::idle_since() const {
  assert(slot_free_since_);
  return std::max(*slot_free_since_, homes_.last_granted());
}

std::optional<Time> Borrowing::next_request() const {
  if (!config_.limits.steals || !slot_free_since_ || asked_ || !peers_.longest_queue()) return {};
  return idle_since() + homes_.usual_pause();
}

// A short pause between tiles of its own is usual. What a node borrowed then would delay its own
// next tile, and the borrowed windows would delay that tile's pieces. So it asks only when its
// pieces are late.
void Borrowing::ask() {
  if (!has_free_slot() || !health_.works()) return slot_free_since_.reset();
  if (!slot_free_since_) slot_free_since_ = effects_.now();
  if (!config_.limits.steals || asked_ || plans_.size() == 0 ||
      effects_.now() < idle_since() + homes_.usual_pause())
    return;
  const std::optional<NodeId> victim = peers_.longest_queue();
  if (!victim) return;
  asked_ = *victim;
  ++effects_.counters().steal_requests;
  effects_.send(*victim, StealRequest{plans_.loaded_prefixes()});
}

void Borrowing::reply(NodeId from, const StealReply& reply) {
  assert(asks(from));
  asked_.reset();
  if (reply.lent) return borrow(from, *reply.lent);
  peers_.at(from).inviting = false;
  peers_.note_surplus(from);
}

void Borrowing::borrow(NodeId victim, const Assign& assign) {
  if (const char* why = refusal(victim, assign))
    return effects_.send(
        victim, Failed{Failed::Kind::given_back, assign.key, assign.tile, assign.attempt, why});
  take_on(victim, assign);
}

// Null: the tile may be borrowed.
const char* Borrowing::refusal(NodeId victim, const Assign& assign) const {
  const KnownPlan* plan = plans_.known(assign.plan);
  if (!peers_.is_member(assign.key.owner)) return "the thief does not know its owner";
  if (plan == nullptr) return "the thief no longer holds the plan";
  if (assign.tile.value >= plan->tiles.size()) return "the plan has no such tile";
  if (plan->tiles[assign.tile.value]->home != victim) return "it is no tile of the victim";
  if (!health_.is_sound()) return "the thief's weights have changed in memory";
  if (health_.hangs()) return "the thief's executor does not come back from a tile";
  if (find({assign.key, assign.tile}) != nullptr)
    return "the thief is still busy with an earlier attempt";
  return nullptr;
}

Borrowed& Borrowing::take_on(NodeId victim, const Assign& assign) {
  const TileKey key{assign.key, assign.tile};
  KnownPlan* plan = plans_.known(assign.plan);
  assert(plan != nullptr);
  assert(assign.tile.value < plan->tiles.size());
  assert(find(key) == nullptr);
  Borrowed& tile = tiles_[key];
  tile.victim = victim;
  tile.attempt = assign.attempt;
  tile.audited = assign.audited;
  tile.plan = plan;
  tile.deadline = effects_.now();  // somebody waits for it
  tile.inputs = lent_parts(*plan->loaded, plan->tiles[assign.tile.value]->inputs);
  tile.missing = tile.inputs.size();
  tile.arrived.assign(tile.missing, false);
  if (tile.missing == 0) fill(key, tile);
  return tile;
}

// --- audits ---

// How many tiles this node audits now, and how many bytes they keep in canvases.
Borrowing::AuditsHeld Borrowing::audits_held() const {
  AuditsHeld held;
  for (const auto& [key, tile] : tiles_) {
    if (!tile.audit) continue;
    ++held.tiles;
    held.bytes += moved_bytes(*tile.plan->loaded, *tile.plan->tiles[key.tile.value]);
  }
  return held;
}

bool Borrowing::may_audit(NodeId home, const Assign& wanted) const {
  const KnownPlan* plan = plans_.known(wanted.plan);
  if (plan == nullptr || config_.limits.compute_slots == 0 || !health_.works()) return false;
  if (wanted.tile.value >= plan->tiles.size()) return false;
  const Tile& tile = *plan->tiles[wanted.tile.value];
  if (tile.home != home || find({wanted.key, wanted.tile}) != nullptr) return false;
  const AuditsHeld held = audits_held();
  return held.tiles < config_.limits.audits_held &&
         held.bytes + moved_bytes(*plan->loaded, tile) <= config_.limits.audit_bytes;
}

void Borrowing::audit(NodeId home, const Assign& wanted) {
  if (!may_audit(home, wanted))
    return effects_.send(wanted.key.owner,
                         AuditResult{wanted.key, wanted.plan, wanted.tile, wanted.attempt, {}});
  Borrowed& tile = take_on(home, wanted);
  tile.audit = tile.audited = true;
}

}  // namespace shingle

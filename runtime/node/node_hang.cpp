// Tiles from which the executor does not come back, while the node itself goes on talking: nobody
// else could tell, so the node judges itself. It tells the owners that it is not ready, and whoever
// asks it meanwhile; gives back what it has borrowed; and is ready again as soon as the executor
// has come back.
//
//   Compute ---- packing_allowed ----> TileBegun ---- by its work, or first_tile_allowed ---> ...
//
// A slot may have to pack weights before it begins, which says nothing of the tile.
#include <algorithm>
#include <cassert>
#include <utility>

#include "runtime/node/node_state.hpp"

namespace shingle {

namespace {

// A tile may begin just before a beat, and that beat counts fully. Each pause of the whole process
// adds one beat. So a tile of a healthy executor may have seen three.
constexpr int least_beats = 4;
constexpr int patience = 8;  // times what is expected of a tile

std::string milliseconds(Duration duration) {
  return std::to_string(duration / std::chrono::milliseconds(1)) + " ms";
}

}  // namespace

// By its work or as other tiles of its block, whichever is longer: a block may have slivers beside
// large tiles.
void Node::State::begin_watch(const Compute& compute, const KnownPlan& plan) {
  const Duration expected =
      std::max(plan.measured[plan.block_of_tile[compute.tile.value]],
               work_time(plan.tiles[compute.tile.value]->macs, picoseconds_per_mac));
  const Duration allowed =
      expected == Duration::zero()
          ? config.limits.first_tile_allowed
          : std::max({config.limits.hang_allowed, least_beats * config.limits.beat_every,
                      patience * expected});
  underway.push_back({.key = {compute.key, compute.tile},
                      .place = compute.place,
                      .since = watched,
                      .allowed = config.limits.packing_allowed,
                      .allowed_to_compute = allowed});
}

void Node::State::on(const TileBegun& event) {
  const auto tile = std::find_if(underway.begin(), underway.end(), [&](const Underway& other) {
    return other.key == TileKey{event.key, event.tile} && other.place == event.place;
  });
  if (tile == underway.end() || tile->begun) return;
  tile->begun = true;
  tile->since = watched;
  tile->allowed = tile->allowed_to_compute;
  if (std::exchange(tile->hangs, false)) be_ready_again();
}

bool Node::State::end_watch(const TileComputed& event) {
  const auto tile = std::find_if(underway.begin(), underway.end(), [&](const Underway& other) {
    return other.key == TileKey{event.key, event.tile} && other.place == event.place;
  });
  assert(tile != underway.end());
  const bool hung = tile->hangs, sound = !tile->tainted;
  underway.erase(tile);
  if (hung) be_ready_again();
  return sound;
}

// Unless something else is in the way.
void Node::State::be_ready_again() {
  if (hangs() || is_damaged()) return;
  for (auto& [hash, offer] : offers)
    if (Answer* own = find_in(offer.answers, config.id);
        own != nullptr && (own->kind == Answer::Kind::hung || own->kind == Answer::Kind::full))
      *own = {Answer::Kind::ready, {}, now, true};
  answer_askers();
  check_offers();
  open_next();
}

// Called with every beat. A beat that is more than one beat late counts as one beat, because then
// the whole process was paused.
void Node::State::watch() {
  const Duration since_last = now - *next_beat + config.limits.beat_every;
  watched += since_last > 2 * config.limits.beat_every ? config.limits.beat_every : since_last;
  for (Underway& tile : underway)
    if (!tile.hangs && watched - tile.since >= tile.allowed) suspect(tile);
  watch_packing();
}

void Node::State::suspect(Underway& tile) {
  const bool first = !hangs();
  tile.hangs = true;
  const std::string why = why_it_hangs(tile);
  if (tile.place == Place::lent) {
    Borrowed& lent = borrowed.at(tile.key);
    if (!lent.unwanted) give_back(tile.key, lent, why);
    lent.unwanted = true;
  }
  if (!first || is_damaged()) return;  // damaged it counts on nobody's patience: it has said worse
  give_back_what_waits(why);
  withdraw(at_a_tile({}));
  put_self_aside(Answer::Kind::hung, own_answer().why);
}

std::string Node::State::why_it_hangs(const Underway& tile) const {
  return std::string(tile.begun ? "its executor has been at a tile for "
                                : "its executor has packed weights for a tile for ") +
         milliseconds(watched - tile.since) + ", " + milliseconds(tile.allowed) + " were enough";
}

// REQUIRES: hangs().
PlanReady Node::State::at_a_tile(const PlanHash& hash) const {
  const auto tile = std::find_if(underway.begin(), underway.end(),
                                 [](const Underway& each) { return each.hangs; });
  return {.plan = hash, .ready = false, .why_not = why_it_hangs(*tile), .hangs = true};
}

// To owners that ask for a plan which is loaded; none: it can run it. They stay askers: they hear
// when it is over.
std::optional<PlanReady> Node::State::out_of_order(const PlanHash& hash) const {
  if (is_damaged()) return not_sound(hash);
  if (hangs()) return at_a_tile(hash);
  return {};
}

// What it has to say of itself as a home of its own plans.
Answer Node::State::own_answer() const {
  if (is_damaged())
    return {may_be_sound_soon() ? Answer::Kind::full : Answer::Kind::unfit, damage, now, true};
  if (!hangs()) return {Answer::Kind::ready, {}, now, true};
  return {Answer::Kind::hung, name_of(config.id) + " hangs: " + at_a_tile({}).why_not, now, true};
}

void Node::State::withdraw(PlanReady answer) {
  for (auto& [hash, entry] : plans) {
    if (!entry.known) continue;  // of other homes' plans too: as a spare it may be wanted for them
    for (const NodeId owner : entry.told) {
      answer.plan = hash;
      send(owner, answer);
      entry.askers.push_back(owner);
    }
    entry.told.clear();
  }
}

// As the owner that it may be, too. While it hangs it inherits nothing either.
void Node::State::put_self_aside(Answer::Kind kind, const std::string& why) {
  const bool hung = kind == Answer::Kind::hung;
  std::vector<PlanHash> struck;
  for (const auto& [hash, offer] : offers) {
    const KnownPlan* plan = known(hash);
    if (plan != nullptr && (hung || plan->is_home(config.id))) struck.push_back(hash);
  }
  for (const PlanHash& hash : struck) put_aside(config.id, hash, {kind, why, now, true});
  if (!hung)
    for (const PlanHash& hash : struck) suspend_frames(hash, why);
  leave_the_hung();
  abort_hopeless_frames();
  open_next();
}

bool Node::State::hangs() const {
  return std::any_of(underway.begin(), underway.end(),
                     [](const Underway& tile) { return tile.hangs; });
}

}  // namespace shingle

// The thief's part: a tile of a busier peer, computed in canvases of its own.
//
//   asked -> filling (windows arrive) -> ready -> running -> returning (outputs leave) -> gone
#include <algorithm>
#include <cassert>

#include "runtime/node/node_state.hpp"

namespace shingle {

namespace {

uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

}  // namespace

bool Node::State::has_free_slot() const {
  const auto filling =
      static_cast<size_t>(std::count_if(borrowed.begin(), borrowed.end(), [](const auto& entry) {
        return entry.second.stage == Borrowed::Stage::filling;
      }));
  return running + ready.size() + filling < config.limits.compute_slots;
}

// A node that waits for pieces of its own next tile has a short pause that the plan foresaw: what
// it borrowed then would be in that tile's way, and its windows in the way of the pieces. Only
// where pieces are later than the longest of its tiles takes something is amiss.
Duration Node::State::thief_patience() const {
  Duration patience = Duration::zero();
  for (const auto& [key, frame] : homes) {
    if (frame.closed || frame.waiting == 0) continue;
    const std::vector<Duration>& measured = frame.plan->measured;
    const Duration longest = *std::max_element(measured.begin(), measured.end());
    patience = std::max(patience, longest == Duration::zero() ? config.limits.beat_every : longest);
  }
  return patience;
}

std::optional<NodeId> Node::State::longest_queue() const {
  const auto rank = [&](const std::pair<const NodeId, Peer>& entry) {
    return std::pair(entry.second.ready, mixed(config.seed ^ entry.first.value));
  };
  const std::pair<const NodeId, Peer>* victim = nullptr;
  for (const auto& entry : peers) {
    const Peer& peer = entry.second;
    if (!is_partner(peer) || !peer.inviting || peer.ready <= config.limits.steal_keep) continue;
    if (victim == nullptr || rank(entry) > rank(*victim)) victim = &entry;
  }
  if (victim == nullptr) return {};
  return victim->first;
}

// One request at a time, to the longest queue that has news: a refusal counts until that peer tells
// of more.
void Node::State::ask_for_tile() {
  if (!has_free_slot() || is_damaged() || hangs()) return idle_since.reset();
  if (!idle_since) idle_since = now;
  if (!config.limits.steals || asked_to_steal || plans.empty() ||
      now < *idle_since + thief_patience())
    return;
  const std::optional<NodeId> victim = longest_queue();
  if (!victim) return;
  StealRequest request;
  for (const auto& [hash, entry] : plans)
    if (entry.known) request.plans.push_back(prefix64(hash));
  asked_to_steal = *victim;
  ++counters.steal_requests;
  send(*victim, request);
}

void Node::State::on_steal_reply(NodeId from, const StealReply& reply) {
  asked_to_steal.reset();
  if (reply.lent) return borrow(from, *reply.lent);
  peers.at(from).inviting = false;
}

void Node::State::borrow(NodeId victim, const Assign& assign) {
  const TileKey key{assign.key, assign.tile};
  KnownPlan* plan = known(assign.plan);
  const auto refuse = [&](const char* why) {
    send(victim, Failed{Failed::Kind::given_back, assign.key, assign.tile, assign.attempt, why});
  };
  if (!is_member(key.frame.owner)) return refuse("the thief does not know its owner");
  if (plan == nullptr) return refuse("the thief no longer holds the plan");
  if (assign.tile.value >= plan->tiles.size()) return refuse("the plan has no such tile");
  if (plan->tiles[assign.tile.value]->home != victim) return refuse("it is no tile of the victim");
  if (is_damaged()) return refuse("the thief's weights have changed in memory");
  if (hangs()) return refuse("the thief's executor does not come back from a tile");
  if (borrowed.contains(key)) return refuse("the thief is still busy with an earlier attempt");
  borrow_from(victim, assign, *plan);
}

Borrowed& Node::State::borrow_from(NodeId victim, const Assign& assign, KnownPlan& plan) {
  const TileKey key{assign.key, assign.tile};
  Borrowed& tile = borrowed[key];
  tile.victim = victim;
  tile.attempt = assign.attempt;
  tile.audited = assign.audited;
  tile.plan = &plan;
  tile.deadline = now;  // somebody waits for it
  tile.inputs = lent_chunks(*plan.loaded, plan.tiles[assign.tile.value]->inputs);
  tile.missing = tile.inputs.size();
  tile.arrived.assign(tile.missing, false);
  if (tile.missing == 0) fill(key, tile);
  return tile;
}

// Unfinished: a loan to its home, an audit to the frame's owner.
void Node::State::give_back(const TileKey& key, const Borrowed& tile, const std::string& why) {
  if (tile.audit)
    send(key.frame.owner, AuditResult{key.frame, tile.plan->hash(), key.tile, tile.attempt, {}});
  else
    send(tile.victim, Failed{Failed::Kind::given_back, key.frame, key.tile, tile.attempt, why});
}

void Node::State::fill(const TileKey& key, Borrowed& tile) {
  tile.stage = Borrowed::Stage::ready;
  ready.insert({{tile.deadline, key.frame, 0, 0}, key.tile, Place::lent, false});
}

// From its victim: the front door lets no other's in.
void Node::State::on_lent_input(const Piece& piece) {
  const TileKey key{piece.key, piece.tile};
  Borrowed* lent = find_in(borrowed, key);
  if (lent == nullptr) return;
  Borrowed& tile = *lent;
  const bool audit = piece.role == Piece::Role::audit_input;
  if (tile.audit != audit || tile.attempt != piece.attempt || tile.arrived[piece.index]) return;
  tile.arrived[piece.index] = true;
  const Chunk& chunk = tile.inputs[piece.index];
  act(Paste{.plan = tile.plan->hash(),
            .target = {.frame = key.frame,
                       .place = Place::lent,
                       .tensor = chunk.tensor,
                       .tile = key.tile},
            .region = chunk.region,
            .source = {}});
  if (--tile.missing == 0) fill(key, tile);
}

void Node::State::lent_computed(const TileComputed& event) {
  const TileKey key{event.key, event.tile};
  Borrowed& tile = borrowed.at(key);
  assert(tile.stage == Borrowed::Stage::running);
  const Tile& planned = *tile.plan->tiles[key.tile.value];
  release_lent(key, planned.inputs);
  if (!event.error.empty() && !tile.unwanted) give_back(key, tile, event.error);
  if (event.error.empty()) measure(*tile.plan, key.tile, event.compute_time);
  const bool failed = !event.error.empty() || tile.unwanted;
  if (!failed) ++counters.tiles_computed;
  if (!failed && tile.audited)
    send(key.frame.owner,
         AuditResult{key.frame, tile.plan->hash(), key.tile, tile.attempt, event.content});
  if (failed || tile.audit) {
    release_lent(key, planned.outputs);
    borrowed.erase(key);
    return;
  }
  ++counters.tiles_stolen;
  return_outputs(key, tile);
}

void Node::State::return_outputs(const TileKey& key, Borrowed& tile) {
  tile.stage = Borrowed::Stage::returning;
  const std::vector<Chunk> chunks =
      lent_chunks(*tile.plan->loaded, tile.plan->tiles[key.tile.value]->outputs);
  tile.missing = chunks.size();
  for (uint32_t index = 0; index < chunks.size(); ++index)
    transfer(tile.victim, {.urgency = {tile.deadline, key.frame, 0, 0},
                           .piece = {.key = key.frame,
                                     .plan = prefix64(tile.plan->hash()),
                                     .role = Piece::Role::lent_output,
                                     .tile = key.tile,
                                     .attempt = tile.attempt,
                                     .index = index},
                           .source = {.frame = key.frame,
                                      .place = Place::lent,
                                      .tensor = chunks[index].tensor,
                                      .tile = key.tile},
                           .region = chunks[index].region,
                           .bytes = chunks[index].bytes});
}

void Node::State::output_sent(const TileKey& key) {
  Borrowed& tile = borrowed.at(key);
  if (--tile.missing > 0) return;
  release_lent(key, tile.plan->tiles[key.tile.value]->outputs);
  borrowed.erase(key);
}

void Node::State::on_voided(NodeId from, const Failed& failed) {
  const Borrowed* own = find_in(borrowed, {failed.key, failed.tile});
  if (own != nullptr && own->victim == from && !own->audit && own->attempt == failed.attempt)
    forget_borrowed(from, failed.key, failed.tile);
}

// The victim took the tile back, or closed the frame (or, without one, is lost): its loans are
// void.
void Node::State::forget_borrowed(NodeId victim, const std::optional<FrameKey>& frame,
                                  const std::optional<TileId>& only) {
  for (auto entry = borrowed.begin(); entry != borrowed.end();) {
    const TileKey key = entry->first;
    Borrowed& tile = entry->second;
    const bool meant =
        tile.victim == victim && (!frame || key.frame == *frame) && (!only || key.tile == *only);
    if (meant && !frame && tile.audit && !tile.unwanted) give_back(key, tile, {});
    entry = meant ? discard(entry) : std::next(entry);
  }
}

// Also what is on its way back: it may be wrong.
void Node::State::give_all_back(const std::string& why) {
  for (auto entry = borrowed.begin(); entry != borrowed.end(); entry = discard(entry))
    if (!entry->second.unwanted) give_back(entry->first, entry->second, why);
}

// Gives back the tiles that have not begun: they might wait for ever behind one that hangs.
void Node::State::give_back_what_waits(const std::string& why) {
  for (auto entry = borrowed.begin(); entry != borrowed.end();) {
    const Borrowed::Stage stage = entry->second.stage;
    const bool waits = stage == Borrowed::Stage::filling || stage == Borrowed::Stage::ready;
    if (waits) give_back(entry->first, entry->second, why);
    entry = waits ? discard(entry) : std::next(entry);
  }
}

// With its canvases and whatever waits for it; one that is being computed goes when that is done.
std::map<TileKey, Borrowed>::iterator Node::State::discard(
    std::map<TileKey, Borrowed>::iterator entry) {
  const TileKey key = entry->first;
  Borrowed& tile = entry->second;
  if (tile.stage == Borrowed::Stage::running) {
    tile.unwanted = true;
    return std::next(entry);
  }
  ready.erase_if([&](const ReadyTile& other) {
    return other.place == Place::lent && other.tile == key.tile && other.urgency.frame == key.frame;
  });
  peers.at(tile.victim).link.drop_if([&](const Outgoing& outgoing) {
    return outgoing.piece.role == Piece::Role::lent_output && outgoing.piece.key == key.frame &&
           outgoing.piece.tile == key.tile;
  });
  const Tile& planned = *tile.plan->tiles[key.tile.value];
  release_lent(key, planned.inputs);
  release_lent(key, planned.outputs);
  return borrowed.erase(entry);
}

void Node::State::release_lent(const TileKey& key, const std::vector<Slice>& slices) {
  for (const Slice& slice : slices)
    act(Release{
        {.frame = key.frame, .place = Place::lent, .tensor = slice.tensor, .tile = key.tile}});
}

}  // namespace shingle

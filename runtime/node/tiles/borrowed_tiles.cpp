// Borrowed tiles, from their first window to their last output, or to an earlier end.
#include <algorithm>
#include <cassert>

#include "runtime/node/tiles/borrowing.hpp"

namespace shingle {

void Borrowing::fill(const TileKey& key, Borrowed& tile) {
  assert(tile.stage == Borrowed::Stage::filling);
  tile.stage = Borrowed::Stage::ready;
  ready_.insert({{tile.deadline, key.frame, 0, 0}, key.tile, Place::lent, false});
}

void Borrowing::take_input(const Piece& piece) {
  const TileKey key{piece.key, piece.tile};
  Borrowed* lent = find_in(tiles_, key);
  if (lent == nullptr) return;
  Borrowed& tile = *lent;
  const bool audit = piece.role == Piece::Role::audit_input;
  if (tile.audit != audit || tile.attempt != piece.attempt) return;
  assert(piece.index < tile.arrived.size());
  if (tile.arrived[piece.index]) return;
  tile.arrived[piece.index] = true;
  const LentPart& part = tile.inputs[piece.index];
  effects_.act(Paste{
      .plan = tile.plan->hash(),
      .target = {.frame = key.frame, .place = Place::lent, .tensor = part.tensor, .tile = key.tile},
      .region = part.region,
      .source = {}});
  if (--tile.missing == 0) fill(key, tile);
}

Compute Borrowing::begin(const ReadyTile& next) {
  assert(next.place == Place::lent);
  const TileKey key{next.urgency.frame, next.tile};
  Borrowed* tile = find_in(tiles_, key);
  assert(tile != nullptr);
  assert(tile->stage == Borrowed::Stage::ready);
  tile->stage = Borrowed::Stage::running;
  return {.key = key.frame,
          .plan = tile->plan->hash(),
          .tile = key.tile,
          .attempt = tile->attempt,
          .place = Place::lent,
          .audited = tile->audited};
}

void Borrowing::computed(const TileComputed& event, ComputeSpeed& speed) {
  const TileKey key{event.key, event.tile};
  Borrowed* lent = find_in(tiles_, key);
  assert(lent != nullptr);
  Borrowed& tile = *lent;
  assert(tile.stage == Borrowed::Stage::running);
  const Tile& planned = *tile.plan->tiles[key.tile.value];
  release(key, planned.inputs);
  if (!event.status && !tile.unwanted) give_back(key, tile, event.status.error());
  if (event.status) speed.measure(*tile.plan, key.tile, event.compute_time);
  const bool failed = !event.status || tile.unwanted;
  if (!failed) ++effects_.counters().tiles_computed;
  if (!failed && tile.audited)
    effects_.send(key.frame.owner,
                  AuditResult{key.frame, tile.plan->hash(), key.tile, tile.attempt, event.content});
  if (failed || tile.audit) {
    release(key, planned.outputs);
    tiles_.erase(key);
    return;
  }
  ++effects_.counters().tiles_stolen;
  return_outputs(key, tile);
}

void Borrowing::return_outputs(const TileKey& key, Borrowed& tile) {
  tile.stage = Borrowed::Stage::returning;
  const std::vector<LentPart> parts =
      lent_parts(*tile.plan->loaded, tile.plan->tiles[key.tile.value]->outputs);
  tile.missing = parts.size();
  for (uint32_t index = 0; index < parts.size(); ++index)
    effects_.transfer(tile.victim, {.urgency = {tile.deadline, key.frame, 0, 0},
                                    .piece = {.key = key.frame,
                                              .plan = prefix64(tile.plan->hash()),
                                              .role = Piece::Role::lent_output,
                                              .tile = key.tile,
                                              .attempt = tile.attempt,
                                              .index = index},
                                    .source = {.frame = key.frame,
                                               .place = Place::lent,
                                               .tensor = parts[index].tensor,
                                               .tile = key.tile},
                                    .region = parts[index].region,
                                    .bytes = parts[index].bytes});
}

void Borrowing::output_left(const TileKey& key) {
  Borrowed* tile = find_in(tiles_, key);
  assert(tile != nullptr);
  assert(tile->stage == Borrowed::Stage::returning);
  assert(tile->missing > 0);
  if (--tile->missing > 0) return;
  release(key, tile->plan->tiles[key.tile.value]->outputs);
  tiles_.erase(key);
}

// Tells the home of a loan, or the owner of an audited frame, that the tile will not be finished.
void Borrowing::give_back(const TileKey& key, const Borrowed& tile, const std::string& why) {
  if (tile.audit)
    effects_.send(key.frame.owner,
                  AuditResult{key.frame, tile.plan->hash(), key.tile, tile.attempt, {}});
  else
    effects_.send(tile.victim,
                  Failed{Failed::Kind::given_back, key.frame, key.tile, tile.attempt, why});
}

void Borrowing::give_up_hanging(const TileKey& key, const std::string& why) {
  Borrowed* tile = find_in(tiles_, key);
  assert(tile != nullptr);
  assert(tile->stage == Borrowed::Stage::running);
  if (!tile->unwanted) give_back(key, *tile, why);
  tile->unwanted = true;
}

void Borrowing::voided(NodeId from, const Failed& failed) {
  const Borrowed* own = find({failed.key, failed.tile});
  if (own != nullptr && own->victim == from && !own->audit && own->attempt == failed.attempt)
    forget(from, failed.key, failed.tile);
}

void Borrowing::frame_closed(NodeId victim, const FrameKey& frame) {
  forget(victim, frame, std::nullopt);
}

void Borrowing::forget(NodeId victim, const FrameKey& frame, const std::optional<TileId>& only) {
  for (auto entry = tiles_.begin(); entry != tiles_.end();) {
    const TileKey& key = entry->first;
    const bool meant =
        entry->second.victim == victim && key.frame == frame && (!only || key.tile == *only);
    entry = meant ? discard(entry) : std::next(entry);
  }
}

// The loans of a lost victim are void. The owner of an audited frame hears that it need not wait.
void Borrowing::lost(NodeId victim) {
  if (asks(victim)) asked_.reset();
  for (auto entry = tiles_.begin(); entry != tiles_.end();) {
    const Borrowed& tile = entry->second;
    const bool meant = tile.victim == victim;
    if (meant && tile.audit && !tile.unwanted) give_back(entry->first, tile, {});
    entry = meant ? discard(entry) : std::next(entry);
  }
}

void Borrowing::give_all_back(const std::string& why) {
  for (auto entry = tiles_.begin(); entry != tiles_.end(); entry = discard(entry))
    if (!entry->second.unwanted) give_back(entry->first, entry->second, why);
}

void Borrowing::give_back_what_waits(const std::string& why) {
  for (auto entry = tiles_.begin(); entry != tiles_.end();) {
    const Borrowed::Stage stage = entry->second.stage;
    const bool waits = stage == Borrowed::Stage::filling || stage == Borrowed::Stage::ready;
    if (waits) give_back(entry->first, entry->second, why);
    entry = waits ? discard(entry) : std::next(entry);
  }
}

// Removes the tile, its canvases and its queued pieces. A tile that is being computed is removed
// when that is done.
Borrowing::Tiles::iterator Borrowing::discard(Tiles::iterator entry) {
  assert(entry != tiles_.end());
  const TileKey key = entry->first;
  Borrowed& tile = entry->second;
  if (tile.stage == Borrowed::Stage::running) {
    tile.unwanted = true;
    return std::next(entry);
  }
  ready_.erase_if([&](const ReadyTile& other) {
    return other.place == Place::lent && other.tile == key.tile && other.urgency.frame == key.frame;
  });
  peers_.at(tile.victim).link.drop_if([&](const Outgoing& outgoing) {
    return outgoing.piece.role == Piece::Role::lent_output && outgoing.piece.key == key.frame &&
           outgoing.piece.tile == key.tile;
  });
  const Tile& planned = *tile.plan->tiles[key.tile.value];
  release(key, planned.inputs);
  release(key, planned.outputs);
  return tiles_.erase(entry);
}

void Borrowing::release(const TileKey& key, const std::vector<Slice>& slices) {
  for (const Slice& slice : slices)
    effects_.act(Release{
        {.frame = key.frame, .place = Place::lent, .tensor = slice.tensor, .tile = key.tile}});
}

}  // namespace shingle

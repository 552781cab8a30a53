// ReadyQueue: the tiles that a node could compute now, and which of them is next.
//
//   1. tiles borrowed from a peer, which waits for them
//   2. tiles of frames with a deadline: the earliest deadline first
//   3. all others: owners take turns, so that each gets the same share of this node, however many
//      frames it has open; the frames of one owner in their order
//
// Turns are counted in work, not in tiles: next is the owner for which the least work was done. An
// owner without tiles saves nothing up: when it comes back it starts level with the others.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "runtime/node/node_link.hpp"

namespace shingle {

struct ReadyTile {
  Urgency urgency;
  TileId tile;
  Place place = Place::home;
  bool due = false;  // its frame has a deadline
  friend auto operator<=>(const ReadyTile&, const ReadyTile&) = default;
};

class ReadyQueue {
 public:
  bool empty() const { return size() == 0; }
  size_t size() const { return size_; }

  void insert(const ReadyTile& tile);
  void erase(const ReadyTile& tile);  // nothing happens if it is not there

  template <class Predicate>
  void erase_if(const Predicate& predicate) {
    const auto erase_from = [&](Tiles& tiles) { size_ -= std::erase_if(tiles, predicate); };
    erase_from(lent_);
    erase_from(due_);
    for (auto& [owner, tiles] : by_turns_) erase_from(tiles);
  }

  // The next tile, out of the queue. REQUIRES: not empty.
  ReadyTile take();
  // Charges the work of a tile to its owner. `work` is in any unit that is the same for all tiles.
  void charge(const ReadyTile& taken, int64_t work);

  // Of this node's own tiles that fulfil the predicate, the one that would be computed last: from
  // the back of the longest row.
  template <class Predicate>
  std::optional<ReadyTile> last_if(const Predicate& predicate) const {
    const Tiles* longest = nullptr;
    std::optional<ReadyTile> found;
    const auto look = [&](const Tiles& tiles) {
      const bool longer = longest == nullptr || tiles.size() > longest->size();
      const auto last = std::find_if(tiles.rbegin(), tiles.rend(), predicate);
      if (!longer || last == tiles.rend()) return;
      longest = &tiles;
      found = *last;
    };
    for (const auto& [owner, tiles] : by_turns_) look(tiles);
    if (!found) look(due_);
    return found;
  }

  template <class Visitor>
  void visit(Visitor&& visitor) const {
    std::for_each(lent_.begin(), lent_.end(), visitor);
    std::for_each(due_.begin(), due_.end(), visitor);
    for (const auto& [owner, tiles] : by_turns_) std::for_each(tiles.begin(), tiles.end(), visitor);
  }

 private:
  using Tiles = std::set<ReadyTile>;
  Tiles& row_of(const ReadyTile& tile);
  Tiles& next_row();

  Tiles lent_, due_;
  std::map<NodeId, Tiles> by_turns_;  // by the frame's owner
  std::map<NodeId, int64_t> served_;  // work done for each owner; raised when it comes back
  int64_t level_ = 0;                 // `served_` of the owner that was served last
  size_t size_ = 0;
};

}  // namespace shingle

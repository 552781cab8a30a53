#include "runtime/node/tiles/ready_queue.hpp"

#include <cassert>

namespace shingle {

ReadyQueue::Tiles& ReadyQueue::row_of(const ReadyTile& tile) {
  if (tile.place == Place::lent) return lent_;
  return tile.due ? due_ : by_turns_[tile.urgency.frame.owner];
}

void ReadyQueue::insert(const ReadyTile& tile) {
  Tiles& row = row_of(tile);
  if (&row != &lent_ && &row != &due_ && row.empty()) {
    int64_t& served = served_[tile.urgency.frame.owner];
    served = std::max(served, level_);
  }
  if (row.insert(tile).second) ++size_;
}

void ReadyQueue::erase(const ReadyTile& tile) { size_ -= row_of(tile).erase(tile); }

ReadyQueue::Tiles& ReadyQueue::next_row() {
  if (!lent_.empty()) return lent_;
  if (!due_.empty()) return due_;
  auto next = by_turns_.end();
  for (auto row = by_turns_.begin(); row != by_turns_.end(); ++row)
    if (!row->second.empty() &&
        (next == by_turns_.end() || served_.at(row->first) < served_.at(next->first)))
      next = row;
  return next->second;
}

ReadyTile ReadyQueue::take() {
  assert(!empty());
  Tiles& row = next_row();
  const ReadyTile taken = *row.begin();
  row.erase(row.begin());
  --size_;
  return taken;
}

// A borrowed tile takes spare time, so it counts against nobody's share.
void ReadyQueue::charge(const ReadyTile& taken, int64_t work) {
  if (taken.place == Place::lent) return;
  int64_t& served = served_[taken.urgency.frame.owner];
  level_ = std::max(level_, served);
  served += work;
}

}  // namespace shingle

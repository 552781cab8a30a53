// Moves: the ways in which the search changes a draft.
//
//   blocks     join two, cut one, move a border
//   layouts    groups, stairs, tiles per node, across channels, on one node; for one block, or for
//              a run of blocks at once, because neighbours with equal layouts only exchange halos
//   shares     balance them within a block, or shift a share between nodes in a block or a run
#pragma once

#include <span>

#include "partition/base/dice.hpp"
#include "partition/search/candidates.hpp"
#include "partition/search/draft.hpp"

namespace shingle {

class Moves {
 public:
  // Both must outlive this object.
  Moves(Workshop& workshop, const Borders& borders) : workshop_(workshop), borders_(borders) {}

  // A kind of change of one block: returns the possible results, perhaps none.
  using Kind = std::vector<Draft> (Moves::*)(const Draft&, size_t block);
  static std::span<const Kind> kinds();
  std::vector<Draft> changed(Kind kind, const Draft& draft, size_t block) {
    return (this->*kind)(draft, block);
  }

  // Changes of all blocks at once, or of the first or second half: one node gets a larger or
  // smaller share of each. The owner comes first, because its frames and results need no wire.
  std::vector<Draft> wide(const Draft& draft);

  Draft random(const Draft& draft, Dice& dice);

 private:
  std::vector<Draft> join(const Draft& draft, size_t block);
  std::vector<Draft> cut(const Draft& draft, size_t block);
  std::vector<Draft> move_border(const Draft& draft, size_t block);
  std::vector<Draft> regroup(const Draft& draft, size_t block);
  std::vector<Draft> resplit(const Draft& draft, size_t block);
  std::vector<Draft> by_channels(const Draft& draft, size_t block);
  std::vector<Draft> on_one(const Draft& draft, size_t block);
  std::vector<Draft> gather(const Draft& draft, size_t block);
  std::vector<Draft> balance(const Draft& draft, size_t block);

  void random_blocks(Draft& draft, Dice& dice);
  void random_layouts(Draft& draft, Dice& dice);
  void random_shares(Draft& draft, Dice& dice);

  size_t nodes() const { return workshop_.cluster().nodes.size(); }
  MapKind kind_of(const DraftBlock& block) const { return workshop_.order().kinds[block.begin]; }
  bool one_kind(size_t begin, size_t end) const;
  bool joinable(const DraftBlock& first, const DraftBlock& second) const;
  void spread(DraftBlock& block);
  std::vector<size_t> lone_nodes(const Draft& draft);

  Workshop& workshop_;
  const Borders& borders_;
};

}  // namespace shingle

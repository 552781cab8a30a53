// Loans: the tiles of this home that are lent, to whom, and what has come back of them. It keeps
// the books only; Lending decides what is lent and what follows.
#pragma once

#include "runtime/node/effects.hpp"
#include "runtime/node/lookup.hpp"
#include "runtime/node/tiles/node_loan.hpp"

namespace shingle {

class Breaches;

struct Loan {
  NodeId thief;
  uint32_t attempt = 0;
  Time since{};
  Duration expected{};  // there and back; zero: unknown
  size_t unsent = 0;    // of its windows' pieces
  std::vector<LentPart> outputs;
  std::vector<bool> arrived;
  size_t missing = 0;
};

class Loans {
 public:
  // REQUIRES: both outlive me.
  Loans(const NodeConfig& config, Effects& effects);

  const Loan* find(const TileKey& key) const { return find_in(loans_, key); }
  size_t size() const { return loans_.size(); }

  // REQUIRES: the tile is not lent. Nothing of its outputs has arrived.
  void begin(const TileKey& key, Loan loan);
  void piece_left(const TileKey& key);  // of its windows. REQUIRES: lent, and one is unsent
  // Takes a piece of the outputs. The part, if it is new and of this attempt; null: it says
  // nothing. REQUIRES: of a loan, its index is one of its outputs'.
  const LentPart* take(NodeId from, const Piece& piece);
  Loan end(const TileKey& key);  // REQUIRES: lent
  // The frame is closed: whoever borrowed of it need not go on.
  void void_frame(const FrameKey& key);

  std::optional<TileKey> first_late() const;  // of the oldest frames first
  std::vector<TileKey> lent_to(NodeId thief) const;
  void check(const Peers& peers, Breaches& breaches) const;

 private:
  bool is_late(const Loan& loan) const;

  const NodeConfig& config_;
  Effects& effects_;
  std::map<TileKey, Loan> loans_;
};

}  // namespace shingle

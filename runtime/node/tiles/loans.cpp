#include "runtime/node/tiles/loans.hpp"

#include <algorithm>
#include <cassert>
#include <set>

namespace shingle {

namespace {

constexpr int lateness = 2;  // times what a loan was expected to take, there and back

}  // namespace

Loans::Loans(const NodeConfig& config, Effects& effects) : config_(config), effects_(effects) {}

void Loans::begin(const TileKey& key, Loan loan) {
  assert(find(key) == nullptr);
  assert(loan.thief != config_.id);
  loan.missing = loan.outputs.size();
  loan.arrived.assign(loan.missing, false);
  loans_.emplace(key, std::move(loan));
}

void Loans::piece_left(const TileKey& key) {
  Loan* loan = find_in(loans_, key);
  assert(loan != nullptr);
  assert(loan->unsent > 0);
  --loan->unsent;
}

const LentPart* Loans::take(NodeId from, const Piece& piece) {
  Loan* loan = find_in(loans_, TileKey{piece.key, piece.tile});
  if (loan == nullptr || loan->thief != from || loan->attempt != piece.attempt) return nullptr;
  assert(piece.index < loan->outputs.size());
  if (loan->arrived[piece.index]) return nullptr;
  loan->arrived[piece.index] = true;
  --loan->missing;
  return &loan->outputs[piece.index];
}

Loan Loans::end(const TileKey& key) {
  const auto loan = loans_.find(key);
  assert(loan != loans_.end());
  return std::move(loans_.extract(loan).mapped());
}

void Loans::void_frame(const FrameKey& key) {
  std::set<NodeId> thieves;
  std::erase_if(loans_, [&](const auto& entry) {
    if (entry.first.frame != key) return false;
    thieves.insert(entry.second.thief);
    return true;
  });
  for (const NodeId thief : thieves) effects_.send(thief, FrameClosed{key, true});
}

// A loan whose time was never measured may take as long as a first tile.
bool Loans::is_late(const Loan& loan) const {
  const Duration allowed = loan.expected > Duration::zero()
                               ? std::max(lateness * loan.expected, config_.limits.beat_every)
                               : config_.limits.first_tile_allowed;
  return effects_.now() - loan.since >= allowed;
}

std::optional<TileKey> Loans::first_late() const {
  const auto late = std::find_if(loans_.begin(), loans_.end(),
                                 [&](const auto& entry) { return is_late(entry.second); });
  if (late == loans_.end()) return {};
  return late->first;
}

std::vector<TileKey> Loans::lent_to(NodeId thief) const {
  std::vector<TileKey> lent;
  for (const auto& [key, loan] : loans_)
    if (loan.thief == thief) lent.push_back(key);
  return lent;
}

}  // namespace shingle

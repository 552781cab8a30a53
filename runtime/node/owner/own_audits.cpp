#include "runtime/node/owner/own_audits.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

const TileContent* OwnAudit::said_by(NodeId node) const {
  const Claim* claim = find_in(claims, node);
  if (claim == nullptr) return nullptr;
  const bool of_another = computed_by == node && claim->attempt != attempt;
  return of_another ? nullptr : &claim->content;
}

bool OwnAudit::is_auditor(NodeId node) const {
  return std::find(auditors.begin(), auditors.end(), node) != auditors.end();
}

void OwnAudits::begin(std::set<NodeId> gone) {
  clear();
  gone_ = std::move(gone);
}

void OwnAudits::add(TileId tile, std::vector<NodeId> auditors) {
  assert(!auditors.empty());
  assert(!audits_.contains(tile));
  audits_[tile].auditors = std::move(auditors);
  ++open_;
}

void OwnAudits::clear() {
  audits_.clear();
  open_ = 0;
}

bool OwnAudits::adds_up() const {
  const auto open = std::count_if(audits_.begin(), audits_.end(),
                                  [](const auto& audit) { return !audit.second.over; });
  return open_ == static_cast<size_t>(open);
}

OwnAudit& OwnAudits::at(TileId tile) {
  OwnAudit* audit = find_in(audits_, tile);
  assert(audit != nullptr);
  assert(!audit->over);
  return *audit;
}

const OwnAudit* OwnAudits::find_open(TileId tile) const {
  const OwnAudit* audit = find_in(audits_, tile);
  return audit == nullptr || audit->over ? nullptr : audit;
}

// --- what nodes say ---

void OwnAudits::claim(TileId tile, NodeId node, uint32_t attempt, const TileContent& content) {
  const auto [claim, first] = at(tile).claims.try_emplace(node, OwnAudit::Claim{attempt, content});
  if (!first && attempt > claim->second.attempt) claim->second = {attempt, content};
}

void OwnAudits::computed(const Done& done, NodeId home) {
  OwnAudit& audit = at(done.tile);
  audit.computed_by = done.computed_by;
  audit.attempt = done.attempt;
  if (done.computed_by == home)
    audit.claims.insert_or_assign(home, OwnAudit::Claim{done.attempt, done.content});
}

std::optional<OwnAudits::Both> OwnAudits::both(TileId tile) const {
  const OwnAudit* audit = find_open(tile);
  assert(audit != nullptr);
  if (!audit->computed_by) return {};
  const NodeId computer = *audit->computed_by;
  const TileContent* computed = audit->said_by(computer);
  if (computed == nullptr) return {};
  const auto auditor = std::find_if(
      audit->auditors.begin(), audit->auditors.end(),
      [&](NodeId each) { return each != computer && audit->said_by(each) != nullptr; });
  if (auditor == audit->auditors.end()) return {};
  return Both{{computer, *computed}, {*auditor, *audit->said_by(*auditor)}};
}

void OwnAudits::end(TileId tile) {
  at(tile).over = true;
  --open_;
}

void OwnAudits::end_all() {
  for (auto& [tile, audit] : audits_) audit.over = true;
  open_ = 0;
}

// --- disputes ---

bool OwnAudits::has_claimed(TileId tile, NodeId node) const {
  const std::vector<TileClaim>* dispute = find_in(disputes_, tile);
  return dispute != nullptr &&
         std::any_of(dispute->begin(), dispute->end(),
                     [&](const TileClaim& claim) { return claim.node == node; });
}

OwnAudits::Verdict OwnAudits::judge(TileId tile, const Both& both) {
  std::vector<TileClaim>& claims = disputes_[tile];
  claims.push_back(both.first);
  claims.push_back(both.second);
  const Verdict verdict{contradicting(claims), agreed(claims, both.first.content.windows)};
  if (verdict.right) disputes_.erase(tile);
  return verdict;
}

// --- nodes that are lost ---

std::vector<TileId> OwnAudits::waiting_for(NodeId node) const {
  std::vector<TileId> tiles;
  for (const auto& [tile, audit] : audits_) {
    const bool is_awaited = audit.is_auditor(node) || audit.computed_by == node;
    if (!audit.over && audit.said_by(node) == nullptr && is_awaited) tiles.push_back(tile);
  }
  return tiles;
}

}  // namespace shingle

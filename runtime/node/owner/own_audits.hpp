// OwnAudits: the audits of one own frame: who computes which tile once more, what each node claims,
// and which claims contradict each other.
//
//   begin() -> add() a tile and its auditors -> claims come -> both() -> judge() -> end()
//
// A dispute outlives an attempt at the frame; everything else belongs to one attempt.
#pragma once

#include <map>
#include <set>

#include "runtime/node/audit.hpp"
#include "runtime/node/lookup.hpp"

namespace shingle {

struct OwnAudit {
  struct Claim {
    uint32_t attempt = 0;
    TileContent content;
  };
  // The first one that does not compute the tile itself is asked.
  std::vector<NodeId> auditors;
  std::optional<NodeId> computed_by{};  // as its home says
  uint32_t attempt = 0;                 // of the tile, as its home says
  std::map<NodeId, Claim> claims{};     // the last one of each node
  bool over = false;

  // What the node claims; null: nothing yet. Tiles are pure, so an auditor may have computed any
  // attempt of the tile. Of the node that computed it for its home only that attempt counts.
  const TileContent* said_by(NodeId node) const;
  bool is_auditor(NodeId node) const;
};

class OwnAudits {
 public:
  // --- an attempt ---
  // `gone`: nodes that are away.
  void begin(std::set<NodeId> gone);
  void add(TileId tile, std::vector<NodeId> auditors);  // REQUIRES: at least one, added once
  void clear();                                         // the attempt has ended
  size_t open() const { return open_; }
  bool adds_up() const;  // open() is right
  const std::map<TileId, OwnAudit>& all() const { return audits_; }
  const OwnAudit* find_open(TileId tile) const;  // null: not audited, or over

  // --- what nodes say. REQUIRES: find_open(tile) ---
  void claim(TileId tile, NodeId node, uint32_t attempt, const TileContent& content);
  void computed(const Done& done, NodeId home);
  struct Both {
    TileClaim first, second;  // of who computed it, and of an auditor
    bool agree() const { return first.content == second.content; }
  };
  std::optional<Both> both(TileId tile) const;  // none: one of them has said nothing yet
  void end(TileId tile);
  void end_all();

  // --- disputes ---
  bool has_disputes() const { return !disputes_.empty(); }
  bool is_disputed(TileId tile) const { return disputes_.contains(tile); }
  bool has_claimed(TileId tile, NodeId node) const;  // in a dispute over it
  struct Verdict {
    std::vector<NodeId> contradicting;  // two others
    std::optional<uint64_t> right;      // outputs, from the first one's windows; none: undecided
  };
  Verdict judge(TileId tile, const Both& both);

  // --- nodes that are lost ---
  void lose(NodeId node) { gone_.insert(node); }
  // Away when the attempt began, or since: its words may be lost, too.
  bool was_gone(NodeId node) const { return gone_.contains(node); }
  std::vector<TileId> waiting_for(NodeId node) const;

 private:
  OwnAudit& at(TileId tile);

  std::map<TileId, OwnAudit> audits_;
  size_t open_ = 0;
  std::set<NodeId> gone_;
  std::map<TileId, std::vector<TileClaim>> disputes_;
};

}  // namespace shingle

// What a node remembers of its peers, of plans, and in each of its parts: plain records. What
// changes them is Node::State.
#pragma once

#include <map>
#include <set>

#include "partition/plan/stand_in.hpp"
#include "runtime/node/audit.hpp"
#include "runtime/node/node.hpp"
#include "runtime/node/node_link.hpp"
#include "runtime/node/node_loan.hpp"
#include "runtime/node/node_plan.hpp"

namespace shingle {

// What the map holds under the key; null: nothing.
template <class Map>
auto* find_in(Map& map, const typename Map::key_type& key) {
  const auto place = map.find(key);
  return place == map.end() ? nullptr : &place->second;
}

struct TileKey {
  FrameKey frame;
  TileId tile;
  friend auto operator<=>(const TileKey&, const TileKey&) = default;
};

// --- peers ---
struct Peer {
  bool joined = false;       // both said hello in this session
  bool greeted = false;      // our hello of this session is on its way, unanswered as yet
  uint32_t session = 0;      // ours
  uint32_t its_session = 0;  // 0: not heard
  uint32_t answered = 0;     // its session that our last hello answered
  Hello hello;
  Time heard{};
  Duration longest_gap{};  // between its words, of late
  bool silenced = false;   // lost because nothing was heard of it
  Time told_of_since{};    // beginnings and ends of its sessions were told so often since then
  uint32_t told_of = 0;
  // its last word
  uint32_t ready = 0, running = 0, picoseconds_per_mac = 0;
  bool inviting = false;     // its queue grew or it told of a surplus since it last refused us
  std::set<NodeId> apart{};  // homes that it says it has lost
  // our last word
  bool telling = false;  // a message to it leaves in this step
  Time told_at{};
  uint64_t taken_in_bytes = 0, told_bytes = 0;
  Link link;
};

// --- plans ---
struct OfferedText {  // of a plan that is not known yet
  std::string text;
  ModelHash model;           // as they say
  std::vector<NodeId> from;  // this node, if it was proposed here
};
struct PlanEntry {
  std::vector<OfferedText> texts{};  // that differ; the first is being loaded
  Duration loading_since{};          // by `watched`
  bool overdue = false;              // loading for longer than it may
  std::optional<KnownPlan> known;
  std::vector<NodeId> askers;  // owners that wait for PlanReady
  std::vector<NodeId> told;    // owners that were told it is ready
  Time used_at{};
};
struct Answer {  // of a peer to an offer
  // apart: it holds the plan but lost another home. unfit: it was ready, but failed since. full: it
  // has no room for one more plan just now, or its weights are being packed anew. hung: it
  // holds the plan, and will say when its executor has come back. distrusted: for good.
  enum class Kind : uint8_t { none, ready, refused, lost, apart, unfit, full, hung, distrusted };
  Kind kind = Kind::none;
  std::string why;  // not ready, or silent for too long: one sentence
  Time since{};     // of the kind
  bool was_ready =
      false;  // ever: then what is wrong now is a fault, and no mistake of the cluster's
  bool is_by_hash = false;  // none: it was offered without its text, which it may lack
  bool gave_up = false;     // full: it was ready, and gave the plan up for another
};
struct Role {  // of a stand-in: which plan it stands for, and why
  PlanHash wanted;
  std::vector<Inheritance> losses;
  friend bool operator==(const Role&, const Role&) = default;
};
// Of this owner. What the application proposed stays until it is withdrawn and no frame is under
// way on it; a stand-in stays while it has a role and makes way for other plans.
struct Offer {
  ModelHash model;
  std::string text;
  bool proposed = false;    // by the application
  std::vector<Role> roles;  // as a stand-in; one plan may serve several losses
  std::map<NodeId, Answer> answers;
  std::map<NodeId, uint64_t> holders;  // to which life of theirs the text went, and not in vain
  bool reported_ready = false;
  std::string refused;  // why no frame can ever be opened on it
  Time refused_at{};
  // When a home that had given the plan up was last asked again at once. Two owners may compete for
  // the last room of a home. If they asked with every beat, it would forget their plans by turns.
  std::map<NodeId, Time> asked_at_once;
  bool full = false;  // of a stand-in: refused only because too many plans are in use just now
  // Of a plan that others stand in for: who had no room for tiles of lost homes. They keep their
  // own tiles.
  std::map<NodeId, Answer> declined;
};
struct StandIn {  // to be proposed when the step ends
  Role role;
  PlanProposed proposal;
};

// --- owner ---
struct OwnAudit {
  struct Claim {
    uint32_t attempt = 0;
    TileContent content;
  };
  std::vector<NodeId> auditors;         // the first of them who does not compute it itself
  std::optional<NodeId> computed_by{};  // says its home ...
  uint32_t attempt = 0;                 // ... in this attempt of it
  std::map<NodeId, Claim> claims{};     // each node's own words, the last ones
  bool over = false;

  // What the node says, none: nothing yet. Tiles are pure, so an auditor may have computed any
  // attempt; of who computed the tile that its home uses only that attempt counts.
  const TileContent* said_by(NodeId node) const;
};
struct OwnedFrame {
  enum class Stage : uint8_t { waiting, opening, running, complete, suspended };
  Stage stage = Stage::waiting;
  ModelHash model;            // frames of one model are opened and delivered in their order
  PlanHash wanted;            // captured for
  PlanHash hash;              // of this attempt: that one, or a stand-in for it
  uint32_t attempt = 0;       // from 0
  KnownPlan* plan = nullptr;  // from opening on
  Time captured{}, deadline{};
  size_t granted = 0;                 // homes, in ascending order
  std::optional<Time> asked{};        // the next one, for a slot
  Time home_at_work{};                // since then it has not been seen to compute
  Time progressed{};                  // running: then something of it was last heard
  std::vector<bool> arrived;          // by strip
  size_t missing = 0;                 // outcome strips
  std::vector<bool> done;             // by tile
  std::map<TileId, OwnAudit> audits;  // of this attempt
  size_t audits_open = 0;
  std::optional<Time> outcome_here{};  // all of it, so only audits are waited for
  std::set<NodeId> gone;  // at its opening or since: what they said of audits may be lost too
  std::map<TileId, std::vector<TileClaim>> disputes;  // of all attempts, until two nodes agree
};

// --- home ---
enum class TileState : uint8_t { foreign, waiting, ready, running, lent, done, failed };
struct HomeTile {
  TileState state = TileState::foreign;
  bool stays = false;  // a thief failed at it
  int32_t missing = 0;
  uint32_t attempt = 0;
};
struct HomeAudit {
  std::vector<NodeId> auditors;   // in the owner's order
  std::optional<NodeId> asked{};  // it may be at it
};
struct HomeFrame {
  KnownPlan* plan = nullptr;
  Time deadline{};
  bool due = false;     // somebody set that deadline
  bool closed = false;  // only running tiles keep it
  uint32_t running = 0;
  uint32_t waiting = 0;         // tiles that miss something
  std::vector<HomeTile> tiles;  // by tile
  std::vector<bool> arrived;    // by strip
  std::vector<int32_t> users;   // by canvas of this node: uses still to come
  std::map<TileId, HomeAudit> audits;
  std::set<NodeId> shunned;
};
struct SlotRequest {
  FrameKey key;
  PlanHash plan;
  Time deadline{};
  bool due = false;
  std::vector<TileAudit> audits;
  std::vector<NodeId> shunned;
};
struct Loan {
  NodeId thief;
  uint32_t attempt = 0;
  Time since{};
  Duration expected{};  // there and back; zero: unknown
  size_t unsent = 0;    // of its windows' pieces
  std::vector<Chunk> outputs;
  std::vector<bool> arrived;
  size_t missing = 0;
};

// --- thief ---
struct Borrowed {
  enum class Stage : uint8_t { filling, ready, running, returning };
  Stage stage = Stage::filling;
  bool unwanted = false;  // running, but nobody waits for it any more
  bool audit = false;     // its content is wanted, not its outputs
  bool audited = false;   // its content is wanted, whatever else
  NodeId victim;
  uint32_t attempt = 0;
  KnownPlan* plan = nullptr;
  Time deadline{};
  std::vector<Chunk> inputs;
  std::vector<bool> arrived;
  size_t missing = 0;  // input chunks, then output chunks not yet sent
};

// --- what is being computed, whoever's it is ---
struct Underway {
  TileKey key;
  Place place = Place::home;
  Duration since{}, allowed{};  // by `watched`: until it begins, then until it ends
  Duration allowed_to_compute{};
  bool begun = false;
  bool hangs = false;
  bool tainted = false;  // by weights that had changed
};

}  // namespace shingle

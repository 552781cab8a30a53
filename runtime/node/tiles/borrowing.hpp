// Borrowing: the thief's side of work stealing, and the auditor's side of audits: a tile of another
// home, computed in canvases of its own.
//
//   asked -> filling (windows arrive) -> ready -> running -> returning (outputs leave) -> gone
//
// An audit is a borrowed tile of which only the content is wanted, so it returns no outputs.
#pragma once

#include "runtime/node/tiles/home_frames.hpp"

namespace shingle {

struct Borrowed {
  enum class Stage : uint8_t { filling, ready, running, returning };
  Stage stage = Stage::filling;
  bool unwanted = false;  // running, but nobody waits for it any more
  bool audit = false;     // its content is wanted, not its outputs
  bool audited = false;   // its content is wanted; perhaps its outputs, too
  NodeId victim;
  uint32_t attempt = 0;
  KnownPlan* plan = nullptr;
  Time deadline{};
  std::vector<LentPart> inputs;
  std::vector<bool> arrived;
  size_t missing = 0;  // input parts, then output parts not yet sent
};

class Borrowing {
 public:
  // REQUIRES: all outlive me.
  Borrowing(const NodeConfig& config, Peers& peers, Plans& plans, const HomeFrames& homes,
            const Health& health, ReadyQueue& ready, Effects& effects);

  // --- questions ---
  const Borrowed* find(const TileKey& key) const { return find_in(tiles_, key); }
  const Borrowed& at(const TileKey& key) const;  // REQUIRES: borrowed
  bool empty() const { return tiles_.empty(); }
  bool asks(NodeId victim) const { return asked_ == victim; }
  bool uses(const PlanHash& plan) const;
  // When this node may ask for a tile; none: it does not wait to ask.
  std::optional<Time> next_request() const;

  // --- requests ---
  // One at a time, to the longest queue that has news: a refusal counts until that peer tells of
  // more.
  void ask();
  void reply(NodeId from, const StealReply& reply);
  void audit(NodeId home, const Assign& wanted);  // or says at once that it will not

  // --- tiles ---
  void take_input(const Piece& piece);   // REQUIRES: from its victim, as the door holds it to
  Compute begin(const ReadyTile& tile);  // REQUIRES: it was ready, and has left the queue
  void computed(const TileComputed& event, ComputeSpeed& speed);  // REQUIRES: begin() with it
  void output_left(const TileKey& key);                           // REQUIRES: it is returning

  // --- ends ---
  void voided(NodeId from, const Failed& failed);  // the victim took the tile back
  void frame_closed(NodeId victim, const FrameKey& frame);
  void lost(NodeId victim);
  void give_up_hanging(const TileKey& key, const std::string& why);  // REQUIRES: running
  // Also what is on its way back: it may be wrong.
  void give_all_back(const std::string& why);
  // The tiles that have not begun: they might wait for ever behind one that hangs.
  void give_back_what_waits(const std::string& why);

  void check(Breaches& breaches) const;
  size_t count(Borrowed::Stage stage) const;

 private:
  using Tiles = std::map<TileKey, Borrowed>;
  struct AuditsHeld {
    size_t tiles = 0;
    int64_t bytes = 0;
  };
  bool has_free_slot() const;
  Time idle_since() const;
  void borrow(NodeId victim, const Assign& assign);
  const char* refusal(NodeId victim, const Assign& assign) const;
  Borrowed& take_on(NodeId victim, const Assign& assign);
  AuditsHeld audits_held() const;
  bool may_audit(NodeId home, const Assign& wanted) const;
  void fill(const TileKey& key, Borrowed& tile);
  void give_back(const TileKey& key, const Borrowed& tile, const std::string& why);
  void return_outputs(const TileKey& key, Borrowed& tile);
  void forget(NodeId victim, const FrameKey& frame, const std::optional<TileId>& only);
  Tiles::iterator discard(Tiles::iterator entry);
  void release(const TileKey& key, const std::vector<Slice>& slices);

  const NodeConfig& config_;
  Peers& peers_;
  Plans& plans_;
  const HomeFrames& homes_;
  const Health& health_;
  ReadyQueue& ready_;
  Effects& effects_;
  Tiles tiles_;
  std::optional<NodeId> asked_;          // for a tile; it has not replied yet
  std::optional<Time> slot_free_since_;  // and nothing is on its way into the slot
};

}  // namespace shingle

// Health: the tiles that this node's executor computes, and whether it hangs at one. A node whose
// executor hangs still answers messages, so no other node can notice it: the node judges itself.
// While a tile hangs, the node tells owners that it is not ready, gives back what it has borrowed,
// and borrows nothing.
//
//   Compute -- at most packing_allowed --> TileBegun -- by its work, or first_tile_allowed -->
//   hangs
//
// A slot may have to pack weights before it begins, so that time has a limit of its own.
#pragma once

#include <vector>

#include "runtime/node/lookup.hpp"
#include "runtime/node/tiles/compute_speed.hpp"
#include "runtime/node/weights.hpp"

namespace shingle {

// A tile that is being computed, of a frame at home here or borrowed.
struct Underway {
  TileKey key;
  Place place = Place::home;
  Duration since{}, allowed{};  // by `uptime`: until it begins, then until it ends
  Duration allowed_to_compute{};
  bool begun = false;
  bool hangs = false;
  bool tainted = false;  // by weights that had changed
};

class Health {
 public:
  // REQUIRES: all outlive me.
  Health(const NodeConfig& config, const Peers& peers, const Weights& weights,
         const Effects& effects);

  // --- tiles ---
  void begin(const Compute& compute, const KnownPlan& plan, const ComputeSpeed& speed);
  // True: it had counted as hanging.
  bool begun(const TileBegun& event);
  struct Ended {
    bool hung = false;   // it had counted as hanging
    bool sound = false;  // its weights had not changed
  };
  Ended end(const TileComputed& event);  // REQUIRES: begin() with it
  void taint();                          // those that are being computed now
  size_t running() const { return underway_.size(); }

  // --- hangs ---
  // With every beat. A pause of the whole process counts as one beat.
  void pass(Duration since_last);
  // The next tile that takes too long. From now on it counts as hanging; null: none.
  const Underway* next_suspect();
  bool hangs() const;
  std::string why_it_hangs(const Underway& tile) const;
  Duration uptime() const { return uptime_; }  // without pauses of the process

  // --- what this node says of itself ---
  bool is_sound() const { return !weights_.damaged(); }
  bool works() const { return is_sound() && !hangs(); }
  PlanReady hang_refusal(const PlanHash& plan) const;  // REQUIRES: hangs()
  // To an owner that asks for a loaded plan; none: it can run it. The owner stays an asker and
  // hears when that is over.
  std::optional<PlanReady> refusal(const PlanHash& plan) const;
  Answer own_answer() const;  // as a home of plans of its own

 private:
  std::vector<Underway>::iterator find(const FrameKey& key, TileId tile, Place place);

  const NodeConfig& config_;
  const Peers& peers_;
  const Weights& weights_;
  const Effects& effects_;
  std::vector<Underway> underway_;
  Duration uptime_{};
};

}  // namespace shingle

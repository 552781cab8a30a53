// What virtual canvases hold, and the proof that every tile got what it should.
//
// A canvas is a list of patches: boxes, each with a content id. The frame is one patch; a tile's
// output gets the id
//     hash(tile, tensor, frame, hash of each input window)
// and a window's hash sums id x weight over its elements, so it does not depend on how strips and
// chunks cut it. Oracle computes the same ids straight from the plan, uncut: equal ids prove that a
// tile read exactly its halo and nothing stale. In `shape` runs all ids are 0 and only coverage is
// proved.
#pragma once

#include <map>
#include <vector>

#include "runtime/protocol/event.hpp"

namespace shingle::sim {

struct Patch {
  Region region;
  uint64_t id = 0;
};
using Patches = std::vector<Patch>;  // disjoint

// The parts of `patches` within `window`; an empty sentence in `missing` if they cover it.
Patches clip(const Patches& patches, const Region& window);
bool covers(const Patches& clipped, const Region& window);

// The sum over the elements of id x weight of the position: the same however `patches` are cut.
uint64_t content_hash(const Patches& patches);

// The canvas where the tile finds or leaves its part of a tensor.
CanvasKey key_of(const Compute& compute, TensorId tensor);

uint64_t frame_id(const FrameKey& frame, TensorId tensor);
uint64_t output_id(const FrameKey& frame, TileId tile, TensorId tensor,
                   const std::vector<uint64_t>& window_hashes);

// Every tensor of a frame as an uncut computation leaves it: by tensor.
std::vector<Patches> uncut_contents(const LoadedPlan& plan, const FrameKey& frame);

// The patches of one node's canvases.
class PatchStore {
 public:
  explicit PatchStore(bool with_ids) : with_ids_(with_ids) {}

  void capture(const LoadedPlan& plan, const FrameKey& frame);
  // Sentences say what is wrong; empty: all is well.
  std::string read(const CanvasKey& canvas, const Region& region, Patches& result) const;
  std::string paste(const CanvasKey& canvas, const Patches& patches);
  // From now on a second copy may differ, and the first one stays: somebody spoils tiles.
  void allow_differing_copies() { copies_may_differ_ = true; }
  // `spoilt`: mixed into what comes out, by a machine that computes wrongly; 0: none.
  std::string compute(const LoadedPlan& plan, const Compute& compute, uint64_t spoilt = 0);
  // Of what compute() read and left.
  TileContent content(const LoadedPlan& plan, const Compute& compute) const;
  std::string check_outcome(const LoadedPlan& plan, const FrameKey& frame) const;
  void release(const CanvasKey& canvas) { canvases_.erase(canvas); }
  void release_all(const FrameKey& frame, Place place);

  size_t count() const { return canvases_.size(); }

 private:
  void cut_out(const CanvasKey& canvas, const Region& region);

  bool with_ids_, copies_may_differ_ = false;
  std::map<CanvasKey, Patches> canvases_;
};

}  // namespace shingle::sim

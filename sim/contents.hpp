// The contents of virtual canvases, and the proof that every tile read the right inputs.
//
// A canvas is a list of boxes, each with a content id. The frame is one box. The
// output of a tile has the id
//     hash(tile, tensor, frame, hash of each input window)
// The hash of a window is the sum of id x weight over its elements, so it does not depend on how
// strips and lent parts cut the window. uncut_contents() computes the same ids from the plan alone,
// without strips or lent parts. Equal ids prove that each tile read exactly its halo, and of this
// frame. In `shape` runs all ids are 0, and the proof covers only which elements are there.
#pragma once

#include <map>
#include <vector>

#include "runtime/protocol/event.hpp"

namespace shingle::sim {

struct ContentBox {
  Region region;
  uint64_t id = 0;
};
using ContentBoxes = std::vector<ContentBox>;  // disjoint

// The parts of `boxes` within `window`.
ContentBoxes clip(const ContentBoxes& boxes, const Region& window);
// REQUIRES: `clipped` is a result of clip() for this window.
bool covers(const ContentBoxes& clipped, const Region& window);

// The sum over the elements of id x weight of the position. It does not depend on how `boxes` are
// cut.
uint64_t content_hash(const ContentBoxes& boxes);

// The canvas that holds the tile's part of a tensor, as its input or as its output.
CanvasKey key_of(const Compute& compute, TensorId tensor);

uint64_t frame_id(const FrameKey& frame, TensorId tensor);
uint64_t output_id(const FrameKey& frame, TileId tile, TensorId tensor,
                   const std::vector<uint64_t>& window_hashes);

// The contents of all tensors of a frame, by tensor, as a computation without strips leaves them.
std::vector<ContentBoxes> uncut_contents(const LoadedPlan& plan, const FrameKey& frame);

// The boxes of one node's canvases.
class ContentStore {
 public:
  explicit ContentStore(bool with_ids) : with_ids_(with_ids) {}

  void capture(const LoadedPlan& plan, const FrameKey& frame);
  // read(), paste(), compute() and check_outcome() return a sentence that says what is wrong, or an
  // empty string.
  std::string read(const CanvasKey& canvas, const Region& region, ContentBoxes& result) const;
  std::string paste(const CanvasKey& canvas, const ContentBoxes& boxes);
  // For clusters with a machine that computes wrong results. From now on a second copy of a region
  // may differ from the first one; the first one stays.
  void allow_differing_copies() { copies_may_differ_ = true; }
  // `spoilt` makes the result wrong, unless it is 0: the ids of the outputs are mixed with it.
  std::string compute(const LoadedPlan& plan, const Compute& compute, uint64_t spoilt = 0);
  // Hashes of the inputs that compute() read and of the outputs that it left.
  TileContent content(const LoadedPlan& plan, const Compute& compute) const;
  std::string check_outcome(const LoadedPlan& plan, const FrameKey& frame) const;
  void release(const CanvasKey& canvas) { canvases_.erase(canvas); }
  void release_all(const FrameKey& frame, Place place);

  size_t count() const { return canvases_.size(); }

 private:
  void cut_out(const CanvasKey& canvas, const Region& region);

  bool with_ids_, copies_may_differ_ = false;
  std::map<CanvasKey, ContentBoxes> canvases_;
};

}  // namespace shingle::sim

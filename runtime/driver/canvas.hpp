// Canvases: the tensors that a node holds, by key. Dense (y, x, c) boxes; bytes are counted. Not
// thread-safe: the driver's thread owns it; compute threads get views that stay valid until
// release().
//
// Memory of a released canvas is kept for the next frame's canvas of about that size, so that a
// steady stream of frames allocates nothing. The kept memory and the memory in use together never
// exceed the most that was ever in use at once. Where a node's memory is capped nothing is kept:
// released memory is free at once, also for things other than canvases.
//
// Two canvases may share memory: a copy of a whole canvas costs nothing until one of the two is
// opened for writing. Each counts with all its bytes, as the plan counts them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "devices/executor/executor.hpp"
#include "runtime/protocol/event.hpp"

namespace shingle {

enum class Spares { kept, given_back };

class Canvases {
 public:
  explicit Canvases(Spares spares = Spares::kept);
  ~Canvases();
  Canvases(const Canvases&) = delete;
  Canvases& operator=(const Canvases&) = delete;

  // For writing. Makes the canvas if it is not there, aligned to 64 bytes and readable 64 bytes
  // past its end. Contents of a new one are undefined until pasted. One that shares its memory gets
  // its own, with the same contents. REQUIRES: one that is there has this region and type.
  TensorView open(const CanvasKey& key, const Region& region, ElementType type);
  // Makes `copy` a canvas with the region, type and contents of `original`, in the same memory.
  // REQUIRES: `original` is there, `copy` is not.
  void share(const CanvasKey& copy, const CanvasKey& original);
  const TensorView* find(const CanvasKey& key) const;      // null if it is not there
  void release(const CanvasKey& key);                      // nothing happens if it is not there
  void release_place(const FrameKey& frame, Place place);  // every canvas of the frame there

  // The canvases of the frame at that place, by tensor (and tile), ascending.
  template <class Visitor>  // (TensorId, const TensorView&)
  void visit(const FrameKey& frame, Place place, Visitor&& visitor) const {
    for (auto it = first_of(frame, place); it != canvases_.end() && is_of(it->first, frame, place);
         ++it)
      visitor(it->first.tensor, it->second.view);
  }

  size_t count() const { return canvases_.size(); }
  int64_t bytes() const { return bytes_; }                      // in use
  int64_t held_bytes() const { return bytes_ + spare_bytes_; }  // with what is kept for reuse
  int64_t peak_bytes() const { return peak_bytes_; }

 private:
  struct Canvas {
    std::shared_ptr<std::byte> memory;
    int64_t capacity = 0;  // bytes
    TensorView view{};
  };
  using Map = std::map<CanvasKey, Canvas>;

  static bool is_of(const CanvasKey& key, const FrameKey& frame, Place place) {
    return key.frame == frame && key.place == place;
  }
  Map::const_iterator first_of(const FrameKey& frame, Place place) const;
  Map::node_type with_memory(int64_t bytes);  // a spare, if one fits
  Map::node_type husk();
  Map::iterator insert(const CanvasKey& key, Map::node_type node);
  void trim();
  Map::const_iterator retire(Map::iterator canvas);

  const Spares spares_;
  Map canvases_;
  std::vector<Map::node_type> spare_;  // released, oldest first
  std::vector<Map::node_type> husks_;  // of canvases whose memory another one had
  int64_t bytes_ = 0, spare_bytes_ = 0, peak_bytes_ = 0;
};

// Which box of its tensor a canvas of `node` holds: the whole map for the frame and the collected
// outputs, the plan's hull for a home, the tile's own slice for a loan. Empty if the plan has no
// such canvas (an id out of range, a tensor that this node or tile has nothing to do with).
Region canvas_region(const LoadedPlan& plan, NodeId node, const CanvasKey& key);

// Copy a box between dense boxes. REQUIRES: both contain `region`, equal types.
void copy_region(const ConstTensorView& source, const TensorView& target, const Region& region);

inline ConstTensorView as_const(const TensorView& view) {
  return {view.data, view.region, view.type};
}

}  // namespace shingle

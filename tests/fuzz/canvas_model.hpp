// CanvasModel: which elements of a node's canvases have been written since the canvas was made. A
// node may read only elements that were written.
#pragma once

#include <map>
#include <vector>

#include "runtime/driver/canvas.hpp"

namespace shingle::fuzz {

class CanvasModel {
 public:
  explicit CanvasModel(NodeId self) : self_(self) {}

  // Makes the canvas if it does not exist, as the driver does. Ends the program if the plan has no
  // such canvas.
  void open(const LoadedPlan& plan, const CanvasKey& key);
  // Makes the canvas if it does not exist, and marks the box as written.
  void write(const LoadedPlan& plan, const CanvasKey& key, const Region& box);
  // Does the canvas exist, with the whole box written?
  bool holds(const CanvasKey& key, const Region& box) const;
  bool is_there(const CanvasKey& key) const { return canvases_.contains(key); }

  void release(const CanvasKey& key) { canvases_.erase(key); }
  void release_all(const FrameKey& frame, Place place);
  size_t size() const { return canvases_.size(); }

 private:
  struct Canvas {
    Region region;
    std::vector<bool> written;
  };
  const NodeId self_;
  std::map<CanvasKey, Canvas> canvases_;
};

}  // namespace shingle::fuzz

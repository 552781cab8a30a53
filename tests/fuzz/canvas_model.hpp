// What lies in a node's canvases, as far as promises go: which elements of which canvas somebody
// has written since it was made. What is read must have been.
#pragma once

#include <map>
#include <vector>

#include "runtime/driver/canvas.hpp"

namespace shingle::fuzz {

class CanvasModel {
 public:
  explicit CanvasModel(NodeId self) : self_(self) {}

  // Makes it, if it is not there, as the driver does. Ends the program where the plan has no such
  // canvas.
  void open(const LoadedPlan& plan, const CanvasKey& key);
  // Makes it and fills that box.
  void write(const LoadedPlan& plan, const CanvasKey& key, const Region& box);
  // Is the canvas there, and all of that box written?
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

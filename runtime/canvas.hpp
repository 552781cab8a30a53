// Canvases: the tensors that a node holds, by key. Dense (y, x, c) boxes; bytes are counted. Not
// thread-safe: the driver's thread owns it; compute threads get views that stay valid until
// release().
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>

#include "devices/executor.hpp"
#include "runtime/event.hpp"

namespace shingle {

class Canvases {
 public:
  // Makes the canvas if it is not there. Contents of a new one are undefined until pasted.
  TensorView open(const CanvasKey& key, const Region& region, ElementType type);
  const TensorView* find(const CanvasKey& key) const;  // null if it is not there
  void release(const CanvasKey& key);                  // nothing happens if it is not there
  void release_frame(const FrameKey& frame);

  int64_t bytes() const;
  int64_t peak_bytes() const;

 private:
  struct Canvas;
  std::map<CanvasKey, std::unique_ptr<Canvas>> canvases_;
  int64_t bytes_ = 0, peak_bytes_ = 0;
};

// Copy a box between dense boxes. REQUIRES: both contain `region`, equal types.
void copy_region(const ConstTensorView& source, const TensorView& target, const Region& region);

}  // namespace shingle

// CanvasMeter counts the bytes of the canvases that a virtual node holds, and their peak. It does
// not count captured frames: a script captures many at once, which would wait elsewhere in reality.
#pragma once

#include <algorithm>
#include <map>

#include "runtime/protocol/event.hpp"

namespace shingle::sim {

class CanvasMeter {
 public:
  void open(const CanvasKey& canvas, int64_t bytes) {
    if (canvas.place == Place::frame || !held_.emplace(canvas, bytes).second) return;
    bytes_ += bytes;
    most_bytes_ = std::max(most_bytes_, bytes_);
  }

  void release(const CanvasKey& canvas) {
    const auto held = held_.find(canvas);
    if (held != held_.end()) drop(held);
  }

  void release_all(const FrameKey& frame, Place place) {
    auto held = held_.lower_bound({frame, place, {}, {}});
    while (held != held_.end() && held->first.frame == frame && held->first.place == place)
      held = drop(held);
  }

  int64_t bytes() const { return bytes_; }
  int64_t most_bytes() const { return most_bytes_; }

 private:
  using Held = std::map<CanvasKey, int64_t>;
  Held::iterator drop(Held::iterator canvas) {
    bytes_ -= canvas->second;
    return held_.erase(canvas);
  }

  Held held_;
  int64_t bytes_ = 0, most_bytes_ = 0;
};

}  // namespace shingle::sim

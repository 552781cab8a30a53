// Real bytes in virtual canvases: an executor computes each tile, and the outputs of each delivered
// frame are compared with those of the whole network, computed as one tile.
#pragma once

#include <map>
#include <memory>

#include "runtime/driver/canvas.hpp"

namespace shingle::sim {

using Bytes = std::vector<std::byte>;

// A frame's input from a seed: random bytes for u8, random floats in [-1, 1) otherwise.
Bytes random_tensor(Shape shape, ElementType type, uint64_t seed);

// The model's outputs for the frame, computed as one tile.
using Outcome = std::map<TensorId, Bytes>;
Result<Outcome> whole_run(const Model& model, const FrameKey& frame, Executor& executor);

// The canvases and the executor of one node.
class TensorStore {
 public:
  TensorStore(NodeId node, std::unique_ptr<Executor> executor);

  void capture(const LoadedPlan& plan, const FrameKey& frame);
  Bytes read(const CanvasKey& canvas, const Region& region) const;
  void paste(const LoadedPlan& plan, const CanvasKey& canvas, const Region& region,
             const Bytes& bytes);
  // Returns the executor's error, or an empty string.
  std::string compute(const LoadedPlan& plan, const Model& model, const Compute& compute);
  // The number of bytes of the collected outputs that differ from the expected ones.
  int64_t differing_bytes(const LoadedPlan& plan, const FrameKey& frame,
                          const Outcome& expected) const;
  void release(const CanvasKey& canvas) { canvases_.release(canvas); }
  void release_all(const FrameKey& frame, Place place) { canvases_.release_place(frame, place); }

 private:
  TensorView open(const LoadedPlan& plan, const CanvasKey& canvas);

  NodeId node_;
  std::unique_ptr<Executor> executor_;
  Canvases canvases_;
};

}  // namespace shingle::sim

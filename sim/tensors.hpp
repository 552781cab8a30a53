// Real bytes in virtual canvases: every tile is really computed, and what is delivered is compared
// with the whole network run as one tile.
#pragma once

#include <map>
#include <memory>

#include "runtime/driver/canvas.hpp"

namespace shingle::sim {

using Bytes = std::vector<std::byte>;

// Seeded input of a frame: bytes for an u8 tensor, floats in [-1, 1) else.
Bytes random_tensor(Shape shape, ElementType type, uint64_t seed);

// The model's outputs of the frame, from one pass over the whole frame.
using Outcome = std::map<TensorId, Bytes>;
Result<Outcome> whole_run(const Model& model, const FrameKey& frame, Executor& executor);

// The canvases of one node with its executor.
class TensorStore {
 public:
  TensorStore(NodeId node, std::unique_ptr<Executor> executor);

  void capture(const LoadedPlan& plan, const FrameKey& frame);
  Bytes read(const CanvasKey& canvas, const Region& region) const;
  void paste(const LoadedPlan& plan, const CanvasKey& canvas, const Region& region,
             const Bytes& bytes);
  std::string compute(const LoadedPlan& plan, const Model& model, const Compute& compute);
  // Bytes of the collected outputs that are not as expected.
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

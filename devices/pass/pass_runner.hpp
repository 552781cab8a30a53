// PassRunner: computes the passes of an executor, one at a time, with the memory that they share:
// the arena, and what layers work with beside it.
#pragma once

#include "devices/pass/pass_pieces.hpp"
#include "devices/threads/in_order.hpp"
#include "devices/weights/model_constants.hpp"

namespace shingle {

// A pass, how this machine's threads share it, and the model's constants that it reads.
struct ReadyPass {
  TilePass pass;
  PassPieces pieces;
  ModelConstants constants;
};

// What run() of a pass works with, so that it asks for no memory.
struct PassNeeds {
  int64_t arena_bytes = 0;
  WorkNeeds work;
  size_t places = 0, pieces = 0;
  friend bool operator==(const PassNeeds&, const PassNeeds&) = default;
};
PassNeeds needs_of(const ReadyPass& ready, int threads);
PassNeeds larger(const PassNeeds& a, const PassNeeds& b);

class PassRunner {
 public:
  // Both must outlive it. What it keeps is counted in `account`.
  PassRunner(const ThreadPool& pool, MemoryAccount& account, const PassNeeds& needs);

  // REQUIRES: made for its needs, at least.
  Status run(const Model& model, const ReadyPass& ready, std::span<const ConstTensorView> inputs,
             std::span<const TensorView> outputs);

  int64_t arena_bytes() const { return arena_.bytes(); }

 private:
  // Of the running pass.
  struct Running {
    const Model& model;
    const ReadyPass& ready;
    std::span<const TensorView> outputs;
  };

  void resolve(const Running& now, std::span<const ConstTensorView> inputs);
  OutputMap in_arena(const TensorPlace& place, int32_t first_row) const;
  void run_pieces(const Running& now, const PassStretch& stretch);
  void run_piece(const Running& now, const PassPiece& piece, size_t index, int thread);
  Status run_strip(const Running& now, const PassStrip& strip);
  LayerRun layer_run(const Running& now, const PassStrip& strip, Span held_rows);

  const ThreadPool& pool_;
  Workspace work_;
  AlignedBuffer arena_;
  InOrder order_;
  std::vector<InputMap> read_;      // of the running pass, by place
  std::vector<OutputMap> written_;  // the same, of what steps write
};

}  // namespace shingle

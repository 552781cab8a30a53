// PassRunner: computes the passes of an executor, one at a time. They share its memory: the arena
// and the workspace.
#pragma once

#include "devices/pass/pass_pieces.hpp"
#include "devices/threads/in_order.hpp"
#include "devices/weights/model_constants.hpp"

namespace shingle {

// A pass, how this machine's threads share it, and the constants that it reads.
struct ReadyPass {
  TilePass pass;
  PassPieces pieces;
  ModelConstants constants;
};

// The memory that run() needs for a pass, reserved before so that run() allocates nothing.
struct PassNeeds {
  int64_t arena_bytes = 0;
  WorkNeeds work;
  size_t places = 0, pieces = 0, inputs = 0;
  friend bool operator==(const PassNeeds&, const PassNeeds&) = default;
};
PassNeeds needs_of(const ReadyPass& ready, int threads);
PassNeeds larger(const PassNeeds& a, const PassNeeds& b);

class PassRunner {
 public:
  // Both must outlive it. Its memory is counted in `account`.
  PassRunner(const ThreadPool& pool, MemoryAccount& account, const PassNeeds& needs);

  // REQUIRES: this runner was made for needs at least as large as those of `ready`.
  Status run(const Model& model, const ReadyPass& ready, std::span<const ConstTensorView> inputs,
             std::span<const TensorView> outputs);

  int64_t arena_bytes() const { return arena_.bytes(); }

 private:
  // The arguments of the run in progress.
  struct Running {
    const Model& model;
    const ReadyPass& ready;
    std::span<const TensorView> outputs;
  };

  void resolve(const Running& now, std::span<const ConstTensorView> inputs);
  OutputMap in_arena(const TensorPlace& place, int32_t first_row) const;
  InputMap read(const Running& now, size_t place, int32_t first_row) const;
  OutputMap written(const Running& now, size_t place, int32_t first_row) const;
  void run_pieces(const Running& now, const PassStretch& stretch);
  void run_call(const Running& now, const PassCall& call, int thread);
  void move(const Running& now, size_t strip) const;
  Status run_strip(const Running& now, size_t strip);
  LayerRun layer_run(const Running& now, size_t strip, const Region& held, int thread);

  const ThreadPool& pool_;
  Workspace work_;
  AlignedBuffer arena_;
  InOrder order_;
  std::vector<InputMap> given_;                // of the running pass, by place; not in the arena
  std::vector<std::vector<InputMap>> inputs_;  // by thread: of the step that it computes
};

}  // namespace shingle

#include "tests/swarm/staged_executor.hpp"

#include <new>
#include <utility>

namespace shingle::swarm {

namespace {

// How often an executor that hangs checks whether the fault is over.
constexpr std::chrono::milliseconds look_up_every{10};

}  // namespace

StagedExecutor::StagedExecutor(Stage& stage, Nature& nature) : stage_(stage), nature_(nature) {
  ++nature_.executors;
}

StagedExecutor::~StagedExecutor() {
  --nature_.executors;
  nature_.programs -= programs_;
}

void StagedExecutor::take(double nanoseconds) {
  stage_.pause(Duration(1 + static_cast<int64_t>(nanoseconds * nature_.slowness)));
}

Status StagedExecutor::prepare(const Model& model, std::span<const TileProgram> programs) {
  model_ = &model;
  // Tile by tile, so that a fault that ends meanwhile does not slow the rest down.
  for (size_t tile = 0; tile < programs.size(); ++tile)
    take(static_cast<double>(nature_.packing_per_tile.count()));
  while (nature_.packing_hangs && stage_.pause(look_up_every)) {
  }
  if (nature_.has_no_memory) throw std::bad_alloc();
  if (nature_.cannot_pack) return Error{"the accelerator has no room for layer 1"};
  const Status prepared = reference_.prepare(model, programs);
  if (prepared) {
    programs_ += static_cast<int64_t>(programs.size());
    nature_.programs += static_cast<int64_t>(programs.size());
  }
  return prepared;
}

void StagedExecutor::forget(std::span<const TileProgram> programs) {
  programs_ -= static_cast<int64_t>(programs.size());
  nature_.programs -= static_cast<int64_t>(programs.size());
  reference_.forget(programs);
}

// Half of the time passes before the inputs are read and half after the outputs are written. So a
// run fails if the driver frees the canvases too early.
Status StagedExecutor::compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                               std::span<const TensorView> outputs) {
  const double half = 0.5 * nature_.ns_per_mac * static_cast<double>(macs(*model_, program));
  take(half);
  while (nature_.stalls && stage_.pause(look_up_every)) {
  }
  if (nature_.breaks) return Error{"the accelerator caught fire"};
  const Status computed = reference_.compute(program, inputs, outputs);
  if (nature_.spoils) outputs.front().data[0] ^= std::byte{1};
  take(half);
  return computed;
}

Status StagedExecutor::check_weights(double) {
  damaged_ = damaged_ || std::exchange(nature_.damages_weights, false);
  return damaged_ ? Status(Error{"the weights of layer 1 are not what was packed"}) : success();
}

}  // namespace shingle::swarm

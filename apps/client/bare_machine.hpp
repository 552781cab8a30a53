// BareMachine: one executor that computes whole frames without a node, a plan or a network.
// `--verify` compares a cluster's results with it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "devices/executor/executor.hpp"

namespace shingle {

class BareMachine {
 public:
  // `model` must outlive it. The sentence names the layer that the executor cannot run.
  static Result<BareMachine> make(const Model& model, std::unique_ptr<Executor> executor);
  // With a given program, because a plan's algorithms change bits. REQUIRES: it computes all of the
  // model's outputs, whole, from the whole input.
  static Result<BareMachine> make(const Model& model, std::unique_ptr<Executor> executor,
                                  TileProgram program);

  // The model's outputs as bytes of f32 in (y, x, c) order, one by one. REQUIRES: `inputs` are the
  // model's, in its order, each whole.
  Result<std::vector<std::vector<std::byte>>> compute(
      std::span<const std::span<const std::byte>> inputs);
  // The same of a model with one input.
  Result<std::vector<std::vector<std::byte>>> compute(std::span<const std::byte> input);

 private:
  BareMachine(const Model& model, std::unique_ptr<Executor> executor, TileProgram program);
  const Model* model_;
  std::unique_ptr<Executor> executor_;
  TileProgram program_;
};

}  // namespace shingle

// ReferenceExecutor: every operator as plain loops, on one thread, without any reuse. The other
// executors are compared with it, so it must be simple rather than fast.
//
// Each output element is accumulated by itself in double, in the order kernel row, kernel column,
// channel, and rounded once. So its bits cannot depend on its tile.
#pragma once

#include <memory>

#include "devices/executor/executor.hpp"

namespace shingle {

class ReferenceExecutor final : public Executor {
 public:
  ReferenceExecutor();
  ~ReferenceExecutor() override;

  std::string name() const override { return "reference"; }
  std::string arithmetic_class() const override { return "reference"; }
  Status prepare(const Model& model, std::span<const TileProgram> programs) override;
  void forget(std::span<const TileProgram> programs) override;
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override;
  Granule granule(const Model& model, LayerId layer) const override;
  Memory memory() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shingle

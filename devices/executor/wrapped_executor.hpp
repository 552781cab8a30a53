// WrappedExecutor: passes all calls to another executor. A subclass overrides compute() and does
// something before or after each tile.
#pragma once

#include <atomic>
#include <memory>

#include "devices/executor/executor.hpp"

namespace shingle {

class WrappedExecutor : public Executor {
 public:
  explicit WrappedExecutor(std::unique_ptr<Executor> inside) : executor_(std::move(inside)) {}

  std::string name() const override { return executor_->name(); }
  std::string arithmetic_class() const override { return executor_->arithmetic_class(); }
  Status prepare(const Model& model, std::span<const TileProgram> programs) override {
    model_ = &model;
    return executor_->prepare(model, programs);
  }
  void forget(std::span<const TileProgram> programs) override { executor_->forget(programs); }
  Status check_weights(double share) override { return executor_->check_weights(share); }
  Granule granule(const Model& model, LayerId layer) const override {
    return executor_->granule(model, layer);
  }
  Memory memory() const override { return executor_->memory(); }

 protected:
  Executor& inside() const { return *executor_; }
  const Model& model() const { return *model_; }  // REQUIRES: prepared

 private:
  const std::unique_ptr<Executor> executor_;
  std::atomic<const Model*> model_{nullptr};  // does not change once it is set
};

}  // namespace shingle

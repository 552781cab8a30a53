// An executor that forwards all calls to another one, and adds up the time of its tiles. Several
// may share one executor if they compute one at a time.
#pragma once

#include <atomic>
#include <memory>

#include "bench/measure.hpp"
#include "devices/executor/executor.hpp"

namespace shingle::bench {

class TimedExecutor final : public Executor {
 public:
  // `seconds` must outlive it.
  TimedExecutor(std::shared_ptr<Executor> inner, std::atomic<double>& seconds)
      : inner_(std::move(inner)), seconds_(seconds) {}

  std::string name() const override { return inner_->name(); }
  std::string arithmetic_class() const override { return inner_->arithmetic_class(); }
  Status prepare(const Model& model, std::span<const TileProgram> programs) override {
    return inner_->prepare(model, programs);
  }
  void forget(std::span<const TileProgram> programs) override { inner_->forget(programs); }
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override {
    Status done = success();
    seconds_ += bench::seconds([&] { done = inner_->compute(program, inputs, outputs); });
    return done;
  }
  Status check_weights(double share) override { return inner_->check_weights(share); }
  Granule granule(const Model& model, LayerId layer) const override {
    return inner_->granule(model, layer);
  }
  Memory memory() const override { return inner_->memory(); }

 private:
  std::shared_ptr<Executor> inner_;
  std::atomic<double>& seconds_;
};

}  // namespace shingle::bench

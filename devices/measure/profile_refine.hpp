// ProfileRefiner: adjusts a profile to the times that tiles really take.
//
//   predicted = sum over kinds of cost * work          each kind's cost moves towards the measured
//   measured  = what the tile took                     time by its share of the prediction
//
// A tile runs several kinds of layers in one pass, so no kind is measured alone. But tiles differ
// in their mixture, and a kind with a wrong cost causes the largest error where it has the largest
// share.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>

#include "devices/executor/wrapped_executor.hpp"

namespace shingle {

// Thread-safe.
class ProfileRefiner {
 public:
  explicit ProfileRefiner(NodeProfile profile) : profile_(profile) {}

  void saw(const Model& model, const TileProgram& program, std::chrono::nanoseconds took);
  NodeProfile profile() const;
  int64_t tiles() const;

 private:
  mutable std::mutex mutex_;
  NodeProfile profile_;
  int64_t tiles_ = 0;
};

// Computes with `executor` and reports every tile to the refiner. The refiner must outlive it.
class WatchedExecutor final : public WrappedExecutor {
 public:
  WatchedExecutor(std::unique_ptr<Executor> executor, ProfileRefiner& refiner)
      : WrappedExecutor(std::move(executor)), refiner_(refiner) {}

  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override;

 private:
  ProfileRefiner& refiner_;
};

}  // namespace shingle

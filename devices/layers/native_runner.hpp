// NativeRunner: a convolution on our own kernels. Its weights are watched for as long as it lives.
#pragma once

#include "devices/layers/layer_runner.hpp"
#include "devices/layers/native_layer.hpp"
#include "devices/weights/weight_watch.hpp"

namespace shingle {

class NativeRunner final : public LayerRunner, public PartRunner {
 public:
  // REQUIRES: made.has_weights(); the layer took from `room`. `room` and `watch` must outlive it.
  NativeRunner(LayerId id, NativeLayer made, PackingRoom& room, WeightWatch& watch);
  ~NativeRunner() override;

  bool takes_rings() const override { return true; }
  const PartRunner* in_parts() const override { return this; }
  WorkNeeds needs(const Region& region, bool pool, int threads) const override;
  std::vector<LayerPart> parts(const Region& region, bool pool, int threads) const override;
  bool divides(const Region& part, bool pool) const override { return layer_.divides(part, pool); }
  int64_t operations(const Region& region, bool pool) const override {
    return layer_.operations(region, pool);
  }
  Status run(const LayerRun& run) override;
  void run_part(const LayerRun& run, const LayerPart& part, int thread) const override;

  const NativeLayer& layer() const { return layer_; }
  PackedWeights& weights() { return layer_.weights(); }

 private:
  NativeLayer layer_;
  PackingRoom& room_;
  WeightWatch& watch_;
};

}  // namespace shingle

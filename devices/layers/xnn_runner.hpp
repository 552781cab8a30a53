// XnnRunner: computes a layer with XNNPACK.
#pragma once

#include "devices/layers/layer_runner.hpp"
#include "devices/xnnpack/xnn_layer.hpp"

namespace shingle {

class XnnRunner final : public LayerRunner {
 public:
  explicit XnnRunner(XnnLayer layer) : layer_(std::move(layer)) {}

  std::optional<PaddedBox> input_box(const Region& region) const override {
    return layer_.input_box(region);
  }
  WorkNeeds needs(const Region& region, bool pool, int threads) const override;
  Status run(const LayerRun& run) override;

 private:
  XnnLayer layer_;
};

}  // namespace shingle

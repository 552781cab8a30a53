// PlainRunner: computes a layer with the plain loops of the reference executor. They can compute
// every operator.
#pragma once

#include <memory>

#include "devices/layers/layer_runner.hpp"
#include "devices/plain/plain_operators.hpp"

namespace shingle {

class PlainRunner final : public LayerRunner {
 public:
  // The model must outlive it. `constants`: of this layer.
  PlainRunner(const Model& model, LayerId layer, std::shared_ptr<const PlainConstants> constants);

  WorkNeeds needs(const Region& region, bool pool, int threads) const override;
  Status run(const LayerRun& run) override;

 private:
  const Model& model_;
  const LayerId layer_;
  const std::shared_ptr<const PlainConstants> constants_;
};

}  // namespace shingle

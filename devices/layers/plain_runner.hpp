// PlainRunner: computes a layer with the plain loops of the reference executor. They can compute
// every operator.
#pragma once

#include <memory>

#include "devices/layers/layer_runner.hpp"
#include "devices/plain/plain_operators.hpp"

namespace shingle {

class PlainRunner final : public LayerRunner, public PartRunner {
 public:
  // The model must outlive it. `constants`: of this layer.
  PlainRunner(const Model& model, LayerId layer, std::shared_ptr<const PlainConstants> constants);

  WorkNeeds needs(const Region& region, bool pool, int threads) const override;
  Status run(const LayerRun& run) override;

  const PartRunner* in_parts() const override { return this; }
  std::vector<LayerPart> parts(const Region& region, bool pool, int threads) const override;
  bool divides(const Region& part, bool pool) const override;
  int64_t operations(const Region& region, bool pool) const override;
  void run_part(const LayerRun& run, const LayerPart& part, int thread) const override;

 private:
  bool goes_by_sequence() const;
  void compute(const LayerRun& run, const Region& region, int thread) const;

  const Model& model_;
  const LayerId layer_;
  const std::shared_ptr<const PlainConstants> constants_;
};

}  // namespace shingle

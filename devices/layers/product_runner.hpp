// ProductRunner: the product of two values on our own kernels. When a pass begins with the layer,
// it packs the second operand; then rows of the first one are convolved with that, strip by strip.
#pragma once

#include <vector>

#include "devices/kernels/product.hpp"
#include "devices/layers/layer_runner.hpp"

namespace shingle {

// What each thread holds while it computes `channels` of the output.
int64_t product_scratch_bytes(const Model& model, const Layer& layer, Span channels);

class ProductRunner final : public LayerRunner, public PartRunner {
 public:
  // REQUIRES: the layer is a MatrixProduct. `channels`: of the output, not empty. The model must
  // outlive it. One pass at a time computes with it.
  ProductRunner(const Model& model, LayerId layer, Span channels);

  bool takes_rings() const override { return true; }
  bool reads_once(size_t input) const override { return input == 1; }
  int64_t kept_bytes() const override;  // the panels
  WorkNeeds needs(const Region& region, bool pool, int threads) const override;
  Status run(const LayerRun& run) override;

  const PartRunner* in_parts() const override { return this; }
  std::vector<LayerPart> parts(const Region& region, bool pool, int threads) const override;
  bool divides(const Region& /*part*/, bool pool) const override { return !pool; }
  int64_t operations(const Region& region, bool pool) const override;
  void run_part(const LayerRun& run, const LayerPart& part, int thread) const override;
  int32_t kept_parts(int threads) const override;
  void keep_part(const LayerRun& run, int32_t index, int32_t count, int thread) const override;

 private:
  void multiply(const LayerRun& run, const Region& part, ThreadScratch& scratch) const;

  const Model& model_;
  const LayerId layer_;
  std::vector<kernels::ProductOperand> parts_;  // of the channels; without their map
};

}  // namespace shingle

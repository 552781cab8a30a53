// ProductRunner: the product of two values on our own kernels. When a pass begins with the layer,
// it packs the second operand; then rows of the first one are convolved with that, strip by strip.
#pragma once

#include <vector>

#include "devices/kernels/product.hpp"
#include "devices/layers/layer_runner.hpp"

namespace shingle {

// What it holds while a plan is prepared, and each thread while it computes `channels` of the
// output.
int64_t packed_product_bytes(const Model& model, const Layer& layer, Span channels);
int64_t product_scratch_bytes(const Model& model, const Layer& layer, Span channels);

class ProductRunner final : public LayerRunner {
 public:
  // REQUIRES: the layer is a MatrixProduct. `channels`: of the output, not empty. The model must
  // outlive it. What it keeps is counted in `account`. One pass at a time computes with it.
  ProductRunner(const Model& model, LayerId layer, Span channels, MemoryAccount& account);

  bool takes_rings() const override { return true; }
  WorkNeeds needs(const Region& region, bool pool, int threads) const override;
  Status run(const LayerRun& run) override;

 private:
  void pack(const LayerRun& run);
  void multiply(const LayerRun& run, const Region& part, ThreadScratch& scratch) const;

  const Model& model_;
  const LayerId layer_;
  std::vector<kernels::ProductOperand> parts_;  // of the channels; without their map
  std::vector<const float*> rows_;              // of the second operand
  AlignedBuffer packed_;
};

}  // namespace shingle

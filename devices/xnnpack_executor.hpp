// XnnpackExecutor: convolutions, pooling and softmax through XNNPACK; everything else through the
// plain operators that the reference uses too.
//
// A tile's pass, step by step, through one arena:
//
//   window --(halo added)--> [ padded box ] --convolution, strip by strip--> [ strip ]
//   --activation,
//       while it is in the cache--> [ the next layer's padded box ] --> ...  --> output
//
// Operators know no padding: the box around a map is filled with the operator's neutral value, so
// one operator and one packed copy of the weights serve every tile of a layer.
#pragma once

#include <memory>

#include "devices/executor.hpp"

namespace shingle {

struct XnnpackOptions {
  int threads = 1;  // of this executor's pool, the calling thread included; at least 1
};

class XnnpackExecutor final : public Executor {
 public:
  explicit XnnpackExecutor(XnnpackOptions options = {});
  ~XnnpackExecutor() override;

  std::string name() const override { return "xnnpack"; }

  // "xnnpack-2022/" and a digest of the bits that the self-test's layers give: machines whose
  // kernels round alike share a class whatever their instruction sets. Ends in "/unsound" where
  // tiles and whole maps differ. Worked out at the first call in a process.
  std::string arithmetic_class() const override;

  Status prepare(const Model& model, std::span<const TileProgram> programs) override;
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override;
  Granule granule(const Model& model, LayerId layer) const override;
  Memory memory() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shingle

// KernelTrial: one convolution on a part of a map of zeros, to be timed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "devices/layers/native_layer.hpp"
#include "devices/xnnpack/xnn_layer.hpp"
#include "partition/plan/program.hpp"

namespace shingle {

class KernelTrial {
 public:
  // `part`: of the step's output, to be computed.
  KernelTrial(const Model& model, const Step& step, const Region& part, const ThreadPool& pool);

  void run(const NativeLayer& layer);
  Status run(XnnLayer& layer);
  // Before the first of either runs, and whenever the layer is cut otherwise.
  void reserve(const NativeLayer& layer);
  void reserve(XnnLayer& layer);

 private:
  // Memory for a map of zeros, beyond whose end XNNPACK may read.
  struct Zeros {
    Zeros(const Region& box, MemoryAccount& account);
    TensorView view() { return {buffer.data(), region, ElementType::f32}; }
    ConstTensorView seen() const { return {buffer.data(), region, ElementType::f32}; }

    Region region;
    AlignedBuffer buffer;
  };

  MemoryAccount account_;
  const ThreadPool& pool_;
  Region region_, held_;
  Activation activation_;
  Zeros input_, output_;
  std::vector<std::unique_ptr<ThreadScratch>> scratch_;
  StripBuffers buffers_{account_};
};

using TrialClock = std::function<std::chrono::nanoseconds()>;

// As many rows of the step's output, from its first, as make about `macs` multiply-adds and end
// where the algorithm's grid does: at least one of its groups.
Region part_to_try(const Model& model, const Step& step, int64_t macs);

int64_t microseconds_of(const TrialClock& now, const std::function<void()>& work);

}  // namespace shingle

// KernelTrial: runs one convolution on a part of a map of zeros, to time it.
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
  // `part`: the region of the step's output to compute.
  KernelTrial(const Model& model, const Step& step, const Region& part, const ThreadPool& pool);

  void run(const NativeLayer& layer);
  Status run(XnnLayer& layer);
  // To be called before the first run() of the layer, and whenever its blocks change.
  void reserve(const NativeLayer& layer);
  void reserve(XnnLayer& layer);

 private:
  // Memory for a map of zeros. XNNPACK may read beyond its end.
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

// The first rows of the step's output: about `macs` multiply-adds, ending on the algorithm's grid;
// at least one group of the grid.
Region part_to_try(const Model& model, const Step& step, int64_t macs);

int64_t microseconds_of(const TrialClock& now, const std::function<void()>& work);

}  // namespace shingle

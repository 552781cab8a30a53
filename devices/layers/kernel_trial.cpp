#include "devices/layers/kernel_trial.hpp"

#include <algorithm>

#include "partition/model/demand.hpp"

namespace shingle {

KernelTrial::Zeros::Zeros(const Region& box, MemoryAccount& account)
    : region(box), buffer(account) {
  const int64_t bytes = bytes_of(box, ElementType::f32) + 256;
  buffer.reserve(bytes);
  std::fill_n(buffer.data(), bytes, std::byte{0});
}

KernelTrial::KernelTrial(const Model& model, const Step& step, const Region& part,
                         const ThreadPool& pool)
    : pool_(pool),
      region_(part),
      held_(demand(
          model, model.at(step.layer), 0,
          computed_region(step.algorithm, model.at(model.at(step.layer).output).shape, part))),
      activation_(model.at(step.layer).activation),
      input_(held_, account_),
      output_(region_, account_) {
  for (int i = 0; i < pool.threads(); ++i) {
    scratch_.push_back(std::make_unique<ThreadScratch>(account_));
  }
}

void KernelTrial::reserve(const NativeLayer& layer) {
  for (const auto& each : scratch_) layer.reserve(region_, false, *each);
}

void KernelTrial::reserve(XnnLayer& layer) { layer.reserve(region_, pool_, buffers_); }

void KernelTrial::run(const NativeLayer& layer) {
  layer.run({.input = input_.seen(),
             .held = held_,
             .output = output_.view(),
             .region = region_,
             .pool = false,
             .added = {},
             .activation = activation_,
             .added_after_activation = false,
             .scratch = scratch_,
             .pool_of_threads = pool_});
}

Status KernelTrial::run(XnnLayer& layer) {
  return layer.run({.input = input_.seen(),
                    .held = held_,
                    .padded = false,
                    .own_memory = true,
                    .output = output_.view(),
                    .region = region_,
                    .buffers = buffers_,
                    .pool = pool_});
}

Region part_to_try(const Model& model, const Step& step, int64_t wanted) {
  Region part = step.output;
  const int64_t all = std::max<int64_t>(macs(model, step.layer, part), 1);
  const int64_t grid = step.algorithm == Algorithm::winograd4 ? winograd_grid : 1;
  const int64_t rows = std::max<int64_t>(wanted * part.y.size() / all, 1);
  const int64_t end = (part.y.begin + rows + grid - 1) / grid * grid;
  part.y.end = static_cast<int32_t>(std::min<int64_t>(end, part.y.end));
  return part;
}

int64_t microseconds_of(const TrialClock& now, const std::function<void()>& work) {
  const auto begin = now();
  work();
  return std::chrono::duration_cast<std::chrono::microseconds>(now() - begin).count();
}

}  // namespace shingle

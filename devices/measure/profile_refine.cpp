#include "devices/measure/profile_refine.hpp"

#include <algorithm>
#include <array>

#include "partition/cluster/scaled_cost.hpp"

namespace shingle {

namespace {

constexpr double step = 0.2;     // of the way to what one tile says: ten tiles settle it
constexpr double boldest = 4.0;  // one tile that was held up must not ruin the profile

double nanoseconds_of_kind(const NodeProfile& profile, size_t kind, const Model& model,
                           const TileProgram& program) {
  NodeProfile alone;
  alone.costs[kind] = profile.costs[kind];
  return work_of(alone, model, program).compute_ns;
}

}  // namespace

void ProfileRefiner::saw(const Model& model, const TileProgram& program,
                         std::chrono::nanoseconds took) {
  const std::lock_guard lock(mutex_);
  std::array<double, work_kinds> predicted{};
  double total = 0.0;
  for (size_t kind = 0; kind < work_kinds; ++kind) {
    predicted[kind] = nanoseconds_of_kind(profile_, kind, model, program);
    total += predicted[kind];
  }
  ++tiles_;
  if (total <= 0.0 || took.count() <= 0) return;
  const double ratio =
      std::clamp(static_cast<double>(took.count()) / total, 1.0 / boldest, boldest);
  for (size_t kind = 0; kind < work_kinds; ++kind)
    profile_.costs[kind] =
        scaled(profile_.costs[kind], 1.0 + step * (ratio - 1.0) * predicted[kind] / total);
}

NodeProfile ProfileRefiner::profile() const {
  const std::lock_guard lock(mutex_);
  return profile_;
}

int64_t ProfileRefiner::tiles() const {
  const std::lock_guard lock(mutex_);
  return tiles_;
}

Status WatchedExecutor::compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                                std::span<const TensorView> outputs) {
  const auto begin = std::chrono::steady_clock::now();
  Status status = inside().compute(program, inputs, outputs);
  if (status) refiner_.saw(model(), program, std::chrono::steady_clock::now() - begin);
  return status;
}

}  // namespace shingle

#include "devices/measure/profile_measure.hpp"

#include <algorithm>
#include <cstring>

#include "devices/measure/profile_trials.hpp"

namespace shingle {

namespace {

using std::chrono::nanoseconds;

constexpr size_t fewest_runs = 10;

// The middle part, a quarter of each side, and at least one row and column.
Region small_part(Shape shape) {
  const auto middle = [](int32_t size) {
    return Span{size * 3 / 8, std::max(size * 3 / 8 + 1, size * 5 / 8)};
  };
  return {middle(shape.h), middle(shape.w), {0, shape.c}};
}

// Everything that a program needs to be run again and again.
class Bench {
 public:
  Bench(const MeasureOptions& options, const Model& model, const TileProgram& program)
      : options_(options), program_(program), executor_(options.make_executor()) {
    for (const Slice& slice : program.inputs) in_.push_back(room(slice.region));
    for (const Slice& slice : program.outputs) out_.push_back(room(slice.region));
    prepared_ = executor_->prepare(model, std::span(&program, 1));
  }

  Result<double> nanoseconds_of_a_run() {
    if (!prepared_) return prepared_.failure();
    std::vector<double> times;
    const nanoseconds end = options_.now() + options_.time_for_each;
    if (const Status first = run(); !first) return first.failure();  // caches, packing
    while (times.size() < fewest_runs || options_.now() < end) {
      const nanoseconds begin = options_.now();
      if (const Status status = run(); !status) return status.failure();
      times.push_back(static_cast<double>((options_.now() - begin).count()));
    }
    // The fastest tenth: what else runs on this machine only ever adds to a time.
    const auto chosen = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10);
    std::nth_element(times.begin(), chosen, times.end());
    return std::max(*chosen, 1.0);
  }

 private:
  static std::vector<float> room(const Region& region) {
    return std::vector<float>(static_cast<size_t>(region.elements()), 0.5F);
  }

  Status run() {
    std::vector<ConstTensorView> inputs;
    std::vector<TensorView> outputs;
    for (size_t i = 0; i < in_.size(); ++i)
      inputs.push_back({reinterpret_cast<const std::byte*>(in_[i].data()),
                        program_.inputs[i].region, ElementType::f32});
    for (size_t i = 0; i < out_.size(); ++i)
      outputs.push_back({reinterpret_cast<std::byte*>(out_[i].data()), program_.outputs[i].region,
                         ElementType::f32});
    return executor_->compute(program_, inputs, outputs);
  }

  const MeasureOptions& options_;
  const TileProgram& program_;
  std::unique_ptr<Executor> executor_;
  Status prepared_ = success();
  std::vector<std::vector<float>> in_, out_;
};

TileProgram part_of(const ProfileTrial& trial, const Region& region) {
  const bool winograd = trial.kind == WorkKind::winograd;
  const BlockLayer layer{LayerId{0}, winograd ? Algorithm::winograd4 : Algorithm::direct};
  const FusedBlock block{.layers = {layer}, .tiles = {}};
  return tile_program(trial.model, block, {{trial.model.outputs.front().tensor, region}});
}

Result<Sample> sample(const MeasureOptions& options, const ProfileTrial& trial,
                      const Region& region) {
  const TileProgram program = part_of(trial, region);
  const Result<double> time = Bench(options, trial.model, program).nanoseconds_of_a_run();
  if (!time) return time.failure();
  const int64_t work = counts_macs(trial.kind) ? macs(trial.model, program) : region.elements();
  return Sample{static_cast<double>(work), *time};
}

void enter(WorkCost& cost, WorkKind kind, const FittedCost& fitted) {
  cost.ns_per_call = fitted.per_call;
  (counts_macs(kind) ? cost.ns_per_mac : cost.ns_per_element) = fitted.slope;
}

void coarsen(Granule& granule, const Granule& other) {
  granule = {std::max(granule.y, other.y), std::max(granule.x, other.x),
             std::max(granule.c, other.c)};
}

}  // namespace

Result<Measured> measure(const MeasureOptions& options) {
  Measured measured;
  std::array<std::vector<Sample>, work_kinds> samples;
  const std::vector<ProfileTrial> all = profile_trials();
  const std::unique_ptr<Executor> asked = options.make_executor();
  for (size_t i = 0; i < all.size(); ++i) {
    if (options.on_progress) options.on_progress(i, all.size());
    const ProfileTrial& trial = all[i];
    const size_t kind = static_cast<size_t>(trial.kind);
    const Shape shape = trial.model.at(trial.model.outputs.front().tensor).shape;
    for (const Region& region : {whole(shape), small_part(shape)}) {
      const Result<Sample> taken = sample(options, trial, region);
      if (!taken) return taken.failure();
      samples[kind].push_back(*taken);
    }
    coarsen(measured.costs.costs[kind].granule, asked->granule(trial.model, LayerId{0}));
  }
  for (size_t kind = 0; kind < work_kinds; ++kind) {
    const FittedCost fitted = fit(samples[kind]);
    enter(measured.costs.costs[kind], static_cast<WorkKind>(kind), fitted);
    measured.worst_error[kind] = fitted.worst_error;
  }
  return measured;
}

Result<double> measure_speedup(const MeasureOptions& one_thread,
                               const MeasureOptions& all_threads) {
  const std::vector<ProfileTrial> all = profile_trials();
  const ProfileTrial& trial = all.front();
  const Region region = whole(trial.model.at(trial.model.outputs.front().tensor).shape);
  const Result<Sample> alone = sample(one_thread, trial, region);
  if (!alone) return alone.failure();
  const Result<Sample> together = sample(all_threads, trial, region);
  if (!together) return together.failure();
  return std::max(1.0, alone->nanoseconds / together->nanoseconds);
}

double measure_memory_gbps(const std::function<std::chrono::nanoseconds()>& now) {
  constexpr size_t bytes = 48 << 20;
  std::vector<std::byte> source(bytes, std::byte{1}), target(bytes, std::byte{2});
  double best = 0.0;
  for (int run = 0; run < 8; ++run) {
    source[static_cast<size_t>(run)] = std::byte{3};
    const nanoseconds begin = now();
    std::memcpy(target.data(), source.data(), bytes);
    const double took = static_cast<double>(std::max<int64_t>((now() - begin).count(), 1));
    if (target[static_cast<size_t>(run)] == std::byte{3})
      best = std::max(best, 2.0 * static_cast<double>(bytes) / took);
  }
  return best;
}

}  // namespace shingle

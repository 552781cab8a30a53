#include "devices/measure/profile_measure.hpp"

#include <algorithm>
#include <cstring>

#include "devices/measure/profile_trials.hpp"
#include "partition/cluster/scaled_cost.hpp"

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

  // The fastest tenth, for layers: other programs on this machine only ever make a run longer.
  Result<double> fastest_nanoseconds() { return quantile(0.1, options_.time_for_each); }
  // The median, for networks: it shows how fast this machine usually is. It is measured for longer.
  Result<double> usual_nanoseconds() { return quantile(0.5, 16 * options_.time_for_each); }

 private:
  Result<double> quantile(double share, nanoseconds at_least) {
    if (!prepared_) return prepared_.failure();
    std::vector<double> times;
    const nanoseconds end = options_.now() + at_least;
    if (const Status first = run(); !first) return first.failure();  // caches, packing
    while (times.size() < fewest_runs || options_.now() < end) {
      const nanoseconds begin = options_.now();
      if (const Status status = run(); !status) return status.failure();
      times.push_back(static_cast<double>((options_.now() - begin).count()));
    }
    const auto chosen =
        times.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size()));
    std::nth_element(times.begin(), chosen, times.end());
    return std::max(*chosen, 1.0);
  }

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

TileProgram part_of(WorkKind kind, const Model& model, const Region& region) {
  const Algorithm algorithm = kind == WorkKind::winograd ? Algorithm::winograd4 : Algorithm::direct;
  FusedBlock block;
  for (uint32_t layer = 0; layer < model.layers.size(); ++layer)
    block.layers.push_back({LayerId{layer}, algorithm});
  return tile_program(model, block, {{model.outputs.front().tensor, region}});
}

// The work of the program's layers, as the planner counts it.
WorkDone work_done(WorkKind kind, const Granule& granule, const Model& model,
                   const TileProgram& program) {
  const auto counted = [&](double WorkCost::*figure) {
    NodeProfile only;
    WorkCost& unit = only.costs[static_cast<size_t>(kind)];
    unit.granule = granule;
    unit.*figure = 1.0;
    return work_of(only, model, program).compute_ns;
  };
  return {.macs = counted(&WorkCost::ns_per_mac),
          .elements = counted(&WorkCost::ns_per_element),
          .weights = counted(&WorkCost::ns_per_weight),
          .calls = counted(&WorkCost::ns_per_call)};
}

enum class Part : uint8_t { all, quarter };  // of each side

Result<Sample> sample_of(const MeasureOptions& options, WorkKind kind, const Granule& granule,
                         const Model& model, Part part) {
  const Shape shape = model.at(model.outputs.front().tensor).shape;
  const Region region = part == Part::all ? whole(shape) : small_part(shape);
  const TileProgram program = part_of(kind, model, region);
  const Result<double> time = Bench(options, model, program).fastest_nanoseconds();
  if (!time) return time.failure();
  return Sample{work_done(kind, granule, model, program), *time};
}

// The difference of two times counts if it is at least this share of the longer one: less is noise.
constexpr double least_rest = 0.1;

Sample without(const Sample& longer, const Sample& shorter) {
  const double rest = longer.nanoseconds - shorter.nanoseconds;
  if (rest < least_rest * longer.nanoseconds) return longer;
  const WorkDone &all = longer.work, &less = shorter.work;
  return {.work = {.macs = all.macs - less.macs,
                   .elements = all.elements - less.elements,
                   .weights = all.weights - less.weights,
                   .calls = all.calls - less.calls},
          .nanoseconds = rest};
}

Result<Sample> sample(const MeasureOptions& options, const ProfileTrial& trial,
                      const Granule& granule, Part part) {
  const Result<Sample> longer = sample_of(options, trial.kind, granule, trial.longer, part);
  if (!longer || trial.shorter.layers.empty()) return longer;
  const Result<Sample> shorter = sample_of(options, trial.kind, granule, trial.shorter, part);
  if (!shorter) return shorter;
  return without(*longer, *shorter);
}

void coarsen(Granule& granule, const Granule& other) {
  granule = {std::max(granule.y, other.y), std::max(granule.x, other.x),
             std::max(granule.c, other.c)};
}

// Of a kernel that works in squares of four outputs more is computed at a map's border.
constexpr Granule winograd_squares{winograd_grid, winograd_grid, 1};

std::array<Granule, work_kinds> granules_of(const MeasureOptions& options,
                                            const std::vector<ProfileTrial>& all) {
  std::array<Granule, work_kinds> granules;
  const std::unique_ptr<Executor> asked = options.make_executor();
  for (const ProfileTrial& trial : all)
    coarsen(granules[static_cast<size_t>(trial.kind)], asked->granule(trial.longer, LayerId{0}));
  coarsen(granules[static_cast<size_t>(WorkKind::winograd)], winograd_squares);
  return granules;
}

// Layers among others take longer than in a chain of their own kind, because the others drive their
// maps out of the caches. Weights are read from memory in a chain, too. The costs of all else are
// scaled so that a network takes the time that was measured; they do not fall.
Status scale_to_company(const MeasureOptions& options, NodeProfile& costs) {
  const Model network = profile_network();
  const TileProgram program = whole_program(network);
  const Result<double> time = Bench(options, network, program).usual_nanoseconds();
  if (!time) return time.failure();
  NodeProfile rest = costs;
  for (WorkCost& cost : rest.costs) cost.ns_per_weight = 0.0;
  const double of_rest = work_of(rest, network, program).compute_ns;
  const double of_weights = work_of(costs, network, program).compute_ns - of_rest;
  if (of_rest <= 0.0) return success();
  const double factor = std::max(1.0, (*time - of_weights) / of_rest);
  for (WorkCost& cost : costs.costs) {
    const double of_a_weight = cost.ns_per_weight;
    cost = scaled(cost, factor);
    cost.ns_per_weight = of_a_weight;
  }
  return success();
}

}  // namespace

Result<Measured> measure(const MeasureOptions& options) {
  Measured measured;
  std::array<std::vector<Sample>, work_kinds> samples;
  const std::vector<ProfileTrial> all = profile_trials();
  const std::array<Granule, work_kinds> granules = granules_of(options, all);
  for (size_t i = 0; i < all.size(); ++i) {
    if (options.on_progress) options.on_progress(i, all.size());
    const size_t kind = static_cast<size_t>(all[i].kind);
    for (const Part part : {Part::all, Part::quarter}) {
      const Result<Sample> taken = sample(options, all[i], granules[kind], part);
      if (!taken) return taken.failure();
      samples[kind].push_back(*taken);
    }
  }
  for (size_t kind = 0; kind < work_kinds; ++kind) {
    const FittedCost fitted = fit(samples[kind]);
    measured.costs.costs[kind] = fitted.cost;
    measured.costs.costs[kind].granule = granules[kind];
    measured.worst_error[kind] = fitted.worst_error;
  }
  if (const Status scaled = scale_to_company(options, measured.costs); !scaled)
    return scaled.failure();
  return measured;
}

Result<double> measure_speedup(const MeasureOptions& one_thread,
                               const MeasureOptions& all_threads) {
  const std::vector<ProfileTrial> all = profile_trials();
  const auto time = [&](const MeasureOptions& options) {
    return sample_of(options, all.front().kind, {}, all.front().longer, Part::all);
  };
  const Result<Sample> alone = time(one_thread);
  if (!alone) return alone.failure();
  const Result<Sample> together = time(all_threads);
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

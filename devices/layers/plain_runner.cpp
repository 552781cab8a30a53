#include "devices/layers/plain_runner.hpp"

#include <algorithm>
#include <cassert>

#include "devices/executor/bands.hpp"
#include "devices/plain/elementwise.hpp"
#include "partition/model/demand.hpp"

namespace shingle {

namespace {

// About a microsecond of work: less is not worth handing to another thread. From ten times that on
// a thread has several parts, so that others can take over the share of a late one.
constexpr int64_t worth_a_part = 16'000, several_parts = 10 * worth_a_part;

// Few pixels: each thread some channels, of whole cache lines.
std::vector<LayerPart> parts_by_channels(const Region& region, int threads) {
  constexpr int32_t line = 16;
  const int32_t lines = (region.c.size() + line - 1) / line;
  const int32_t count = std::min(threads, lines);
  std::vector<LayerPart> parts;
  for (int32_t i = 0; i < count; ++i) {
    Region part = region;
    part.c = {region.c.begin + lines * i / count * line,
              std::min(region.c.end, region.c.begin + lines * (i + 1) / count * line)};
    parts.push_back({.region = part, .written = part});
  }
  return parts;
}

}  // namespace

PlainRunner::PlainRunner(const Model& model, LayerId layer,
                         std::shared_ptr<const PlainConstants> constants)
    : model_(model), layer_(layer), constants_(std::move(constants)) {
  assert(constants_ != nullptr);
}

WorkNeeds PlainRunner::needs(const Region& /*region*/, bool pool, int /*threads*/) const {
  assert(!pool);
  const auto floats = static_cast<size_t>(plain_scratch_floats(model_.at(layer_)));
  return {.thread = {.bytes = static_cast<int64_t>(bytes_of_floats(floats)),
                     .inputs = model_.at(layer_).inputs.size()}};
}

// A band of later steps of a sequence would compute the earlier ones again.
bool PlainRunner::goes_by_sequence() const {
  return std::holds_alternative<Recurrence>(model_.at(layer_).op);
}

int64_t PlainRunner::operations(const Region& region, bool /*pool*/) const {
  const Layer& layer = model_.at(layer_);
  const bool takes_exp = std::holds_alternative<Softmax>(layer.op);
  const int each =
      cost_of(layer.activation) + (takes_exp ? cost_of({.kind = Activation::Kind::exp}) : 0);
  const bool gathers = std::holds_alternative<Reduction>(layer.op);
  const int64_t read = gathers ? demand(model_, layer, 0, region).elements() : 0;
  return region.elements() * each + read + macs(model_, layer_, region);
}

bool PlainRunner::divides(const Region& /*part*/, bool pool) const {
  return !pool && !goes_by_sequence();
}

std::vector<LayerPart> PlainRunner::parts(const Region& region, bool pool, int threads) const {
  const auto cut = [](const Bands& bands) {
    std::vector<LayerPart> parts;
    for (int i = 0; i < bands.count(); ++i)
      parts.push_back({.region = bands[i], .written = bands[i]});
    return parts;
  };
  const int64_t work = operations(region, pool);
  if (threads == 1 || work < worth_a_part * threads) return {{.region = region, .written = region}};
  if (goes_by_sequence()) return cut(Bands(region, std::min(threads, region.y.size()), 1));
  const auto* op = std::get_if<Reduction>(&model_.at(layer_).op);
  if (op != nullptr && !op->c && region.y.size() * region.x.size() < threads)
    return parts_by_channels(region, threads);
  return cut(Bands(region, threads, work < several_parts * threads ? 1 : 3));
}

Status PlainRunner::run(const LayerRun& run) {
  assert(!run.pool && !run.adds);
  const int threads = run.pool_of_threads.threads();
  const Bands bands(run.region,
                    goes_by_sequence() ? std::min(threads, run.region.y.size()) : threads);
  run.pool_of_threads.for_each(bands.count(), operations(run.region, run.pool),
                               [&](int band, int thread) { compute(run, bands[band], thread); });
  return success();
}

void PlainRunner::run_part(const LayerRun& run, const LayerPart& part, int thread) const {
  compute(run, part.region, thread);
}

void PlainRunner::compute(const LayerRun& run, const Region& region, int thread) const {
  ThreadScratch& scratch = *run.work.threads[static_cast<size_t>(thread)];
  scratch.inputs.clear();
  for (const InputMap& input : run.inputs) scratch.inputs.push_back(input.map);
  run_plain({.model = model_,
             .layer = model_.at(layer_),
             .constants = *constants_,
             .inputs = scratch.inputs,
             .output = run.output.map,
             .region = region,
             .scratch = {reinterpret_cast<float*>(scratch.floats.data()),
                         static_cast<size_t>(scratch.floats.bytes()) / sizeof(float)}});
}

}  // namespace shingle

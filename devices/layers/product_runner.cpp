#include "devices/layers/product_runner.hpp"

#include <algorithm>
#include <cassert>

#include "devices/executor/bands.hpp"
#include "devices/kernels/direct.hpp"
#include "devices/layers/kernel_rows.hpp"
#include "devices/layers/native_layer.hpp"
#include "partition/model/demand.hpp"

namespace shingle {

namespace {

// Whole matrices side by side are one part; of a matrix of which only some columns are wanted these
// are a part.
std::vector<kernels::ProductOperand> parts_of(const Model& model, const Layer& layer,
                                              Span channels) {
  const auto& op = std::get<MatrixProduct>(layer.op);
  const Shape second = model.at(layer.inputs[1]).shape;
  const int32_t columns = model.at(layer.output).shape.c / op.stack;
  const int32_t depth = model.at(layer.inputs[0]).shape.c / op.stack;
  std::vector<kernels::ProductOperand> parts;
  for (int32_t c = channels.begin; c < channels.end;) {
    const int32_t matrix = c / columns, first = c % columns;
    const int32_t whole_ones = first == 0 ? (channels.end - c) / columns : 0;
    const Span part = whole_ones > 0 ? Span{0, columns}
                                     : Span{first, std::min(columns, first + channels.end - c)};
    parts.push_back({.map = {},
                     .width = second.w,
                     .channel = op.turned ? matrix * depth : c,
                     .turned = op.turned,
                     .stack = std::max(1, whole_ones),
                     .depth = depth,
                     .step = op.turned ? depth : columns,
                     .columns = part});
    c += parts.back().stack * part.size();
  }
  return parts;
}

size_t packed_floats(const std::vector<kernels::ProductOperand>& parts) {
  size_t floats = 0;
  for (const kernels::ProductOperand& part : parts)
    floats += kernels::packed_floats(kernels::product_filter(part));
  return floats;
}

int64_t scratch_bytes(const std::vector<kernels::ProductOperand>& parts) {
  size_t floats = 0;
  for (const kernels::ProductOperand& part : parts)
    floats = std::max(floats, kernels::direct_scratch_floats(kernels::product_filter(part)));
  return static_cast<int64_t>(bytes_of_floats(floats));
}

}  // namespace

int64_t product_scratch_bytes(const Model& model, const Layer& layer, Span channels) {
  return scratch_bytes(parts_of(model, layer, channels));
}

ProductRunner::ProductRunner(const Model& model, LayerId layer, Span channels)
    : model_(model), layer_(layer), parts_(parts_of(model, model.at(layer), channels)) {}

int64_t ProductRunner::kept_bytes() const {
  return static_cast<int64_t>(bytes_of_floats(packed_floats(parts_)));
}

WorkNeeds ProductRunner::needs(const Region& region, bool pool, int /*threads*/) const {
  assert(!pool);
  const auto rows = static_cast<size_t>(region.y.size());
  const auto second = static_cast<size_t>(model_.at(model_.at(layer_).inputs[1]).shape.h);
  return {.thread = {.bytes = scratch_bytes(parts_),
                     .input_rows = std::max(rows, second),
                     .output_rows = rows}};
}

int64_t ProductRunner::operations(const Region& region, bool /*pool*/) const {
  return macs(model_, layer_, region);
}

std::vector<LayerPart> ProductRunner::parts(const Region& region, bool pool, int threads) const {
  const bool shared = threads > 1 && ThreadPool::worth_sharing(operations(region, pool));
  if (!shared) return {{.region = region, .written = region}};
  std::vector<LayerPart> parts;
  const Bands bands(region, threads, 3);
  for (int i = 0; i < bands.count(); ++i)
    parts.push_back({.region = bands[i], .written = bands[i]});
  return parts;
}

Status ProductRunner::run(const LayerRun& run) {
  assert(!run.pool && !run.adds);
  const int threads = run.pool_of_threads.threads();
  if (run.begins) {
    const int32_t count = kept_parts(threads);
    run.pool_of_threads.for_each(
        count, kept_bytes() / int64_t{sizeof(float)},
        [&](int index, int thread) { keep_part(run, index, count, thread); });
  }
  const Bands bands(run.region, threads);
  run.pool_of_threads.for_each(
      bands.count(), operations(run.region, run.pool), [&](int band, int thread) {
        multiply(run, bands[band], *run.work.threads[static_cast<size_t>(thread)]);
      });
  return success();
}

void ProductRunner::run_part(const LayerRun& run, const LayerPart& part, int thread) const {
  multiply(run, part.region, *run.work.threads[static_cast<size_t>(thread)]);
}

int32_t ProductRunner::kept_parts(int threads) const {
  constexpr int64_t worth_a_part = 16 * 1024;  // bytes that are moved: about a microsecond
  int32_t panels = 0;
  for (const kernels::ProductOperand& part : parts_) panels += kernels::product_panels(part);
  return static_cast<int32_t>(
      std::clamp<int64_t>(kept_bytes() / worth_a_part, 1, std::min(panels, threads)));
}

// Each part has some panels of each operand.
void ProductRunner::keep_part(const LayerRun& run, int32_t index, int32_t count, int thread) const {
  const InputMap& second = run.input(1);
  const Region stored = demand(model_, model_.at(layer_), 1, run.region);
  std::vector<const float*>& rows = run.work.threads[static_cast<size_t>(thread)]->input_rows;
  const kernels::InputRows map = rows_of(second, stored, rows);
  auto* packed = reinterpret_cast<float*>(run.kept);
  for (const kernels::ProductOperand& part : parts_) {
    kernels::ProductOperand operand = part;
    operand.map = map;
    operand.channel -= stored.c.begin;
    const int32_t panels = kernels::product_panels(operand);
    for (int32_t panel = panels * index / count; panel < panels * (index + 1) / count; ++panel)
      kernels::pack_product(operand, panel, packed);
    packed += kernels::packed_floats(kernels::product_filter(operand));
  }
}

void ProductRunner::multiply(const LayerRun& run, const Region& part,
                             ThreadScratch& scratch) const {
  const auto& op = std::get<MatrixProduct>(model_.at(layer_).op);
  const int32_t columns = model_.at(model_.at(layer_).output).shape.c / op.stack;
  kernels::Epilogue epilogue;
  const bool fused = kernels::supported(run.activation);
  if (fused) epilogue.activation = run.activation;
  const float* packed = reinterpret_cast<const float*>(run.kept);
  Region rest = part;  // its channels
  for (const kernels::ProductOperand& operand : parts_) {
    const kernels::FilterShape filter = kernels::product_filter(operand);
    Region read = part;
    const int32_t channel = rest.c.begin / columns * operand.depth;
    read.c = {channel, channel + operand.stack * operand.depth};
    const kernels::InputRows input = rows_of(run.input(0), read, scratch.input_rows);
    const kernels::OutputRows output = rows_of(run.output, rest, scratch.output_rows);
    kernels::direct_convolution({.filter = filter, .y = {}, .x = {}, .packed = packed}, input,
                                output, epilogue, reinterpret_cast<float*>(scratch.floats.data()));
    packed += kernels::packed_floats(filter);
    rest.c.begin += filter.outputs;
  }
  if (fused) return;
  activate_rows(run.activation, rows_of(run.output, part, scratch.output_rows), part.c.size(),
                {0, part.c.size()});
}

}  // namespace shingle

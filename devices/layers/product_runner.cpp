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
    : model_(model), layer_(layer), parts_(parts_of(model, model.at(layer), channels)) {
  rows_.reserve(static_cast<size_t>(model.at(model.at(layer).inputs[1]).shape.h));
}

int64_t ProductRunner::kept_bytes() const {
  return static_cast<int64_t>(bytes_of_floats(packed_floats(parts_)));
}

WorkNeeds ProductRunner::needs(const Region& region, bool pool, int /*threads*/) const {
  assert(!pool);
  const auto rows = static_cast<size_t>(region.y.size());
  return {.thread = {.bytes = scratch_bytes(parts_), .input_rows = rows, .output_rows = rows}};
}

Status ProductRunner::run(const LayerRun& run) {
  assert(!run.pool && !run.adds);
  if (run.begins) pack(run);
  const Bands bands(run.region, run.pool_of_threads.threads());
  run.pool_of_threads.for_each(
      bands.count(), macs(model_, layer_, run.region), [&](int band, int thread) {
        multiply(run, bands[band], *run.work.threads[static_cast<size_t>(thread)]);
      });
  return success();
}

// Threads share the panels.
void ProductRunner::pack(const LayerRun& run) {
  const InputMap& second = run.input(1);
  const Region stored = demand(model_, model_.at(layer_), 1, run.region);
  const kernels::InputRows map = rows_of(second, stored, rows_);
  auto* packed = reinterpret_cast<float*>(run.kept);
  for (const kernels::ProductOperand& part : parts_) {
    kernels::ProductOperand operand = part;
    operand.map = map;
    operand.channel -= stored.c.begin;
    const auto floats = kernels::packed_floats(kernels::product_filter(operand));
    run.pool_of_threads.for_each(
        kernels::product_panels(operand), static_cast<int64_t>(floats),
        [&](int panel, int) { kernels::pack_product(operand, panel, packed); });
    packed += floats;
  }
}

void ProductRunner::multiply(const LayerRun& run, const Region& part,
                             ThreadScratch& scratch) const {
  const auto& op = std::get<MatrixProduct>(model_.at(layer_).op);
  const int32_t columns = model_.at(model_.at(layer_).output).shape.c / op.stack;
  kernels::Epilogue epilogue;
  const bool light = is_light(run.activation);
  if (light) epilogue.activation = run.activation;
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
  if (light) return;
  activate_rows(run.activation, rows_of(run.output, part, scratch.output_rows), part.c.size(),
                {0, part.c.size()});
}

}  // namespace shingle

#include "devices/layers/recurrent_runner.hpp"

#include <algorithm>
#include <cassert>

#include "devices/layers/kernel_rows.hpp"
#include "devices/layers/native_layer.hpp"
#include "partition/model/shape.hpp"

namespace shingle {

namespace {

// Fewer multiply-adds of a step take less time than threads need to wait for each other.
constexpr int64_t worth_a_part = 32'768;

// The vectors that a sequence keeps: its state, of even and of odd steps, its cell and what a GRU
// resets.
constexpr int32_t vectors = 4, cell_vector = 2, reset_vector = 3;

// Floats from one to the next. A line more than it needs: vectors of a power of two would fall into
// few sets of the cache.
std::ptrdiff_t vector_step(const Recurrence& op) {
  constexpr int32_t line = kernels::line_floats;
  return (op.hidden + line - 1) / line * line + line;
}

// Share `index` of `count`.
Span share_of(Span all, int index, int count) {
  const auto border = [&](int64_t i) {
    return all.begin + static_cast<int32_t>(all.size() * i / count);
  };
  return {border(index), border(int64_t{index} + 1)};
}

}  // namespace

// How threads share the work: groups of sequences that know nothing of each other, or parts of the
// units in lockstep.
struct RecurrentRunner::Shares {
  int groups = 1, parts = 1;

  int count() const { return std::max(groups, parts); }
};

struct RecurrentRunner::Part {
  Span sequences;
  int index = 0, count = 1;  // of the units
};

bool recurs_natively(const Layer& layer) {
  const auto* op = std::get_if<Recurrence>(&layer.op);
  return op != nullptr && kernels::supported(*op);
}

int64_t packed_recurrence_bytes(const Layer& layer) {
  const size_t floats = kernels::recurrence_floats(std::get<Recurrence>(layer.op));
  return static_cast<int64_t>(bytes_of_floats(floats));
}

int64_t recurrent_state_bytes(const Layer& layer, int32_t sequences) {
  const auto floats = static_cast<size_t>(vectors * vector_step(std::get<Recurrence>(layer.op)));
  return static_cast<int64_t>(bytes_of_floats(floats)) * sequences;
}

RecurrentRunner::RecurrentRunner(const Model& model, LayerId layer, int threads,
                                 MemoryAccount& account, WeightWatch& watch)
    : model_(model),
      layer_(layer),
      op_(std::get<Recurrence>(model.at(layer).op)),
      steps_(model.at(model.at(layer).output).shape.w),
      watch_(watch),
      packed_(account),
      lockstep_(threads) {
  assert(recurs_natively(model.at(layer)));
  packed_.reserve(packed_recurrence_bytes(model.at(layer)));
  kernels::pack_recurrence(model, op_, reinterpret_cast<float*>(packed_.data()));
  bytes_ = static_cast<size_t>(packed_recurrence_bytes(model.at(layer)));
  watch_.add(layer, weights());
}

RecurrentRunner::~RecurrentRunner() { watch_.remove(weights()); }

WorkNeeds RecurrentRunner::needs(const Region& region, bool pool, int /*threads*/) const {
  assert(!pool);
  const auto rows = static_cast<size_t>(region.y.size());
  return {.strips = {.output_bytes = recurrent_state_bytes(model_.at(layer_), region.y.size())},
          .thread = {.input_rows = rows, .output_rows = rows}};
}

RecurrentRunner::Shares RecurrentRunner::shares(const LayerRun& run) const {
  const int threads = run.pool_of_threads.threads();
  const int64_t step_macs = model_.at(op_.weights).count * run.region.y.size();
  int64_t parts = std::min<int64_t>(threads, step_macs / worth_a_part);
  for (int32_t phase = 0; phase < kernels::recurrence_phases(op_); ++phase)
    parts = std::min<int64_t>(parts, kernels::recurrence_blocks(op_, phase));
  if (parts > 1) return {.groups = 1, .parts = static_cast<int>(parts)};
  return {.groups = std::min(threads, run.region.y.size()), .parts = 1};
}

int32_t RecurrentRunner::length(int32_t sequence) const {
  return op_.lengths.empty() ? steps_ : op_.lengths[static_cast<size_t>(sequence)];
}

// Where step number `step` of the sequence stands.
int32_t RecurrentRunner::column(int32_t sequence, int32_t step) const {
  return op_.backward ? length(sequence) - 1 - step : step;
}

// Of the steps that these columns of the sequence need.
int32_t RecurrentRunner::step_count(int32_t sequence, Span columns) const {
  const int32_t all = length(sequence);
  return op_.backward ? std::max(0, all - columns.begin) : std::min(all, columns.end);
}

float* RecurrentRunner::vector(const LayerRun& run, int32_t sequence, int64_t which) const {
  return reinterpret_cast<float*>(run.work.strips.output.data()) +
         ((sequence - run.region.y.begin) * vectors + which) * vector_step(op_);
}

Status RecurrentRunner::run(const LayerRun& run) {
  assert(!run.pool && !run.adds);
  const Span sequences = run.region.y;
  int32_t steps = 0;
  for (int32_t y = sequences.begin; y < sequences.end; ++y) {
    begin(run, y);
    steps = std::max(steps, step_count(y, run.region.x));
  }
  const Shares by = shares(run);
  const int64_t times = int64_t{steps} * kernels::recurrence_phases(op_);
  const int64_t operations = model_.at(op_.weights).count * steps * sequences.size();
  lockstep_.begin(by.parts);
  run.pool_of_threads.for_each(by.count(), operations, [&](int item, int thread) {
    ThreadScratch& scratch = *run.work.threads[static_cast<size_t>(thread)];
    if (by.parts > 1) {
      return lockstep_.run(item, times, [&](int64_t time, int part) {
        compute(run, {sequences, part, by.parts}, time, scratch);
      });
    }
    const Span some = share_of(sequences, item, by.groups);
    for (int64_t time = 0; time < times; ++time) compute(run, {some, 0, 1}, time, scratch);
  });
  finish(run);
  return success();
}

void RecurrentRunner::begin(const LayerRun& run, int32_t sequence) const {
  float *state = vector(run, sequence, 0), *cell = vector(run, sequence, cell_vector);
  std::fill_n(state, op_.hidden, 0.0F);
  std::fill_n(cell, op_.hidden, 0.0F);
  if (run.inputs.size() < 2) return;
  const float* first = at(run.input(1), sequence, 0, 0);
  std::copy_n(first, op_.hidden, state);
  if (op_.kind == Recurrence::Kind::lstm) std::copy_n(first + op_.hidden, op_.hidden, cell);
}

// `time` counts the phases of all steps.
void RecurrentRunner::compute(const LayerRun& run, const Part& part, int64_t time,
                              ThreadScratch& scratch) const {
  const int32_t phases = kernels::recurrence_phases(op_);
  const auto step = static_cast<int32_t>(time / phases),
             phase = static_cast<int32_t>(time % phases);
  std::vector<const float*>& gates = scratch.input_rows;
  gates.clear();
  for (int32_t y = part.sequences.begin; y < part.sequences.end; ++y) {
    const bool goes_on = step < step_count(y, run.region.x);
    gates.push_back(goes_on ? at(run.input(0), y, column(y, step), 0) : nullptr);
  }
  const int32_t first = part.sequences.begin;
  const Span blocks = share_of({0, kernels::recurrence_blocks(op_, phase)}, part.index, part.count);
  kernels::recurrent_step({.op = op_,
                           .packed = reinterpret_cast<const float*>(packed_.data()),
                           .gates = gates,
                           .states = {.before = vector(run, first, step % 2),
                                      .after = vector(run, first, (step + 1) % 2),
                                      .cell = vector(run, first, cell_vector),
                                      .reset = vector(run, first, reset_vector),
                                      .sequence = vectors * vector_step(op_)},
                           .last_block_first = step % 2 != 0},
                          phase, blocks);
  if (phase + 1 < phases) return;
  const Span units = kernels::recurrence_units(op_, phase, blocks);
  for (int32_t y = first; y < part.sequences.end; ++y)
    if (gates[static_cast<size_t>(y - first)] != nullptr) store(run, y, step, units);
}

void RecurrentRunner::store(const LayerRun& run, int32_t sequence, int32_t step, Span units) const {
  const int32_t x = column(sequence, step), hidden = op_.hidden;
  if (x < run.region.x.begin || x >= run.region.x.end) return;
  const auto copy_from = [&](const float* state, int32_t channel) {
    const Span channels = intersect({units.begin + channel, units.end + channel}, run.region.c);
    if (channels.empty()) return;
    std::copy_n(state + (channels.begin - channel), channels.size(),
                at(run.output, sequence, x, channels.begin));
  };
  copy_from(vector(run, sequence, (step + 1) % 2), 0);
  if (op_.kind == Recurrence::Kind::lstm) copy_from(vector(run, sequence, cell_vector), hidden);
}

// What lies behind a sequence's end, and the activation of all.
void RecurrentRunner::finish(const LayerRun& run) const {
  const Region& region = run.region;
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = std::max(region.x.begin, length(y)); x < region.x.end; ++x)
      std::fill_n(at(run.output, y, x, region.c.begin), region.c.size(), 0.0F);
  }
  if (run.activation.kind == Activation::Kind::none) return;
  activate_rows(run.activation, rows_of(run.output, region, run.work.threads[0]->output_rows),
                region.c.size(), {0, region.c.size()});
}

}  // namespace shingle

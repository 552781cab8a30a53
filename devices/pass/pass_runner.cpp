#include "devices/pass/pass_runner.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace shingle {

namespace {

// Moves the rows that later strips still read to the front of their buffer. `axis` is the axis
// along which rows are counted.
void move_rows(const TensorView& to, Span Region::*axis, int32_t held_from, Span rows) {
  if (rows.empty()) return;
  assert((to.region.*axis).begin == rows.begin);
  Region one = to.region;
  one.*axis = {0, 1};
  const int64_t row = bytes_of(one, to.type);
  std::memmove(to.data, to.data + (rows.begin - held_from) * row,
               static_cast<size_t>(row * rows.size()));
}

InputMap read_only(const OutputMap& rows) { return {shingle::read_only(rows.map), rows.kept}; }

}  // namespace

PassRunner::PassRunner(const ThreadPool& pool, MemoryAccount& account, const PassNeeds& needs)
    : pool_(pool),
      work_(account, pool.threads()),
      arena_(account),
      order_(pool.threads()),
      inputs_(static_cast<size_t>(pool.threads())) {
  work_.reserve(needs.work);
  arena_.reserve(needs.arena_bytes);
  given_.reserve(needs.places);
  for (std::vector<InputMap>& each : inputs_) each.reserve(needs.inputs);
  order_.reserve(needs.pieces);
}

PassNeeds larger(const PassNeeds& a, const PassNeeds& b) {
  return {.arena_bytes = std::max(a.arena_bytes, b.arena_bytes),
          .work = larger(a.work, b.work),
          .places = std::max(a.places, b.places),
          .pieces = std::max(a.pieces, b.pieces),
          .inputs = std::max(a.inputs, b.inputs)};
}

PassNeeds needs_of(const ReadyPass& ready, int threads) {
  const TilePass& pass = ready.pass;
  PassNeeds needs{.arena_bytes = pass.arena_bytes, .work = {}, .places = pass.places.size()};
  for (const PassStep& step : pass.steps) needs.inputs = std::max(needs.inputs, step.inputs.size());
  for (const PassStrip& strip : pass.strips) {
    const PassStep& step = pass.steps[strip.step];
    const Region region = with_rows(step.region, strip.rows);
    needs.work = larger(needs.work, step.runner->needs(region, step.pool.has_value(), threads));
  }
  for (const PassStretch& stretch : ready.pieces.stretches)
    needs.pieces = std::max(needs.pieces, stretch.pieces);
  return needs;
}

Status PassRunner::run(const Model& model, const ReadyPass& ready,
                       std::span<const ConstTensorView> inputs,
                       std::span<const TensorView> outputs) {
  const Running now{model, ready, outputs};
  resolve(now, inputs);
  for (const PassStretch& stretch : ready.pieces.stretches) {
    if (stretch.pieces > 0) {
      run_pieces(now, stretch);
      continue;
    }
    const Status done = run_strip(now, stretch.first_strip);
    if (!done) return done;
  }
  return success();
}

// --- where maps lie ------------------------------------------------------------------------------

void PassRunner::resolve(const Running& now, std::span<const ConstTensorView> inputs) {
  given_.clear();
  for (const TensorPlace& place : now.ready.pass.places) {
    switch (place.kind) {
      case TensorPlace::Kind::absent:
      case TensorPlace::Kind::arena:
        given_.emplace_back();
        break;
      case TensorPlace::Kind::input:
        given_.emplace_back(inputs[place.index]);
        break;
      case TensorPlace::Kind::constant:
        given_.emplace_back(now.ready.constants.tensor(now.model, place.tensor));
        break;
      case TensorPlace::Kind::output:
        given_.push_back(read_only(OutputMap(now.outputs[place.index])));
        break;
    }
  }
}

OutputMap PassRunner::in_arena(const TensorPlace& place, int32_t first_row) const {
  assert(place.kind == TensorPlace::Kind::arena);
  Region box = place.stored.box;
  if (!place.ring) box.*row_axis(place.held) = {first_row, first_row + place.rows};
  const TensorView view{arena_.data() + place.offset, box, ElementType::f32};
  return place.ring ? OutputMap(view, place.rows) : OutputMap(view);
}

InputMap PassRunner::read(const Running& now, size_t index, int32_t first_row) const {
  const TensorPlace& place = now.ready.pass.places[index];
  if (place.kind != TensorPlace::Kind::arena) return given_[index];
  return read_only(in_arena(place, first_row));
}

OutputMap PassRunner::written(const Running& now, size_t index, int32_t first_row) const {
  const TensorPlace& place = now.ready.pass.places[index];
  if (place.kind == TensorPlace::Kind::output) return now.outputs[place.index];
  return in_arena(place, first_row);
}

// --- pieces --------------------------------------------------------------------------------------

void PassRunner::run_pieces(const Running& now, const PassStretch& stretch) {
  const PassPieces& all = now.ready.pieces;
  order_.begin();
  pool_.for_each(static_cast<int>(stretch.pieces), stretch.operations, [&](int index, int thread) {
    const auto number = static_cast<size_t>(index);
    const PassPiece& piece = all.pieces[stretch.first_piece + number];
    order_.wait_for(piece.after, thread);
    for (const PassCall& call : std::span(all.calls).subspan(piece.first_call, piece.calls))
      run_call(now, call, thread);
    order_.ended(number);
  });
}

void PassRunner::run_call(const Running& now, const PassCall& call, int thread) {
  const TilePass& pass = now.ready.pass;
  const PartRunner& runner = *pass.steps[pass.strips[call.strip].step].runner->in_parts();
  switch (call.kind) {
    case PassCall::Kind::move:
      return move(now, call.strip);
    case PassCall::Kind::keep:
      return runner.keep_part(layer_run(now, call.strip, call.held, thread), call.index, call.count,
                              thread);
    case PassCall::Kind::compute:
      return runner.run_part(layer_run(now, call.strip, call.held, thread), call.part, thread);
  }
}

LayerRun PassRunner::layer_run(const Running& now, size_t index, const Region& held, int thread) {
  const PassStrip& strip = now.ready.pass.strips[index];
  const PassStep& step = now.ready.pass.steps[strip.step];
  const PassAccess::FirstRows first_rows = now.ready.pieces.first_rows(index);
  std::vector<InputMap>& inputs = inputs_[static_cast<size_t>(thread)];
  inputs.clear();
  for (size_t i = 0; i < step.inputs.size(); ++i)
    inputs.push_back(read(now, step.inputs[i], first_rows[2 + i]));
  LayerRun call{.inputs = inputs,
                .held = held,
                .padded = step.padded,
                .own_memory = step.own_memory,
                .output = written(now, step.output, first_rows[1]),
                .region = with_rows(step.region, strip.rows),
                .begins = begins(step, strip.rows),
                .kept = step.kept ? written(now, *step.kept, 0).map.data : nullptr,
                .pool = step.pool.has_value(),
                .adds = step.addition.has_value(),
                .activation = now.model.at(step.layer).activation,
                .added_after_activation = false,
                .work = work_,
                .pool_of_threads = pool_};
  if (!step.addition) return call;
  const Activation& after = now.model.at(*step.addition).activation;
  call.added_after_activation = after.kind == Activation::Kind::none;
  if (!call.added_after_activation) call.activation = after;
  return call;
}

// --- strips --------------------------------------------------------------------------------------

void PassRunner::move(const Running& now, size_t index) const {
  const PassStrip& strip = now.ready.pass.strips[index];
  const PassStep& step = now.ready.pass.steps[strip.step];
  const PassAccess::FirstRows first_rows = now.ready.pieces.first_rows(index);
  move_rows(written(now, step.output, first_rows[1]).map,
            row_axis(now.ready.pass.places[step.output].held), first_rows[0], strip.moved);
}

Status PassRunner::run_strip(const Running& now, size_t index) {
  const TilePass& pass = now.ready.pass;
  const PassStrip& strip = pass.strips[index];
  const PassStep& step = pass.steps[strip.step];
  const TensorPlace& place = pass.places[step.output];
  const LayerRun call = layer_run(now, index, strip.held, 0);
  if (place.kind == TensorPlace::Kind::arena) {
    move(now, index);
    if (place.stored.box != place.held)
      fill_around(call.output.map, place.held, place.stored.neutral);
  }
  const Status done = step.runner->run(call);
  if (!done) return done;
  if (step.copied_to && strip.rows.end == rows_of(step.region).end) {
    copy(read_only(call.output.map), now.outputs[*step.copied_to],
         pass.program.outputs[*step.copied_to].region);
  }
  return success();
}

}  // namespace shingle

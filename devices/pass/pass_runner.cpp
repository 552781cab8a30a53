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
    : pool_(pool), work_(account, pool.threads()), arena_(account), order_(pool.threads()) {
  work_.reserve(needs.work);
  arena_.reserve(needs.arena_bytes);
  read_.reserve(needs.places);
  written_.reserve(needs.places);
  order_.reserve(needs.pieces);
}

PassNeeds larger(const PassNeeds& a, const PassNeeds& b) {
  return {.arena_bytes = std::max(a.arena_bytes, b.arena_bytes),
          .work = larger(a.work, b.work),
          .places = std::max(a.places, b.places),
          .pieces = std::max(a.pieces, b.pieces)};
}

PassNeeds needs_of(const ReadyPass& ready, int threads) {
  const TilePass& pass = ready.pass;
  PassNeeds needs{
      .arena_bytes = pass.arena_bytes, .work = {}, .places = pass.places.size(), .pieces = 0};
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
    const Status done = run_strip(now, ready.pass.strips[stretch.first_strip]);
    if (!done) return done;
  }
  return success();
}

// --- where maps lie ------------------------------------------------------------------------------

void PassRunner::resolve(const Running& now, std::span<const ConstTensorView> inputs) {
  read_.clear();
  written_.clear();
  for (const TensorPlace& place : now.ready.pass.places) {
    written_.emplace_back();
    switch (place.kind) {
      case TensorPlace::Kind::absent:
        read_.emplace_back();
        break;
      case TensorPlace::Kind::input:
        read_.emplace_back(inputs[place.index]);
        break;
      case TensorPlace::Kind::constant:
        read_.emplace_back(now.ready.constants.tensor(now.model, place.tensor));
        break;
      case TensorPlace::Kind::output:
        written_.back() = now.outputs[place.index];
        read_.push_back(read_only(written_.back()));
        break;
      case TensorPlace::Kind::arena:
        written_.back() = in_arena(place, (place.stored.box.*row_axis(place.held)).begin);
        read_.push_back(read_only(written_.back()));
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

// --- pieces --------------------------------------------------------------------------------------

void PassRunner::run_pieces(const Running& now, const PassStretch& stretch) {
  order_.begin();
  pool_.for_each(static_cast<int>(stretch.pieces), stretch.operations, [&](int index, int thread) {
    const auto piece = static_cast<size_t>(index);
    run_piece(now, now.ready.pieces.pieces[stretch.first_piece + piece], piece, thread);
  });
}

void PassRunner::run_piece(const Running& now, const PassPiece& piece, size_t index, int thread) {
  const TilePass& pass = now.ready.pass;
  const PassStrip& strip = pass.strips[piece.strip];
  const PassStep& step = pass.steps[strip.step];
  const LayerRun call = layer_run(now, strip, piece.held);
  order_.wait_for(piece.after, thread);
  step.runner->in_parts()->run_part(call, piece.part, thread);
  order_.ended(index);
}

LayerRun PassRunner::layer_run(const Running& now, const PassStrip& strip, const Region& held) {
  const PassStep& step = now.ready.pass.steps[strip.step];
  LayerRun call{.maps = read_,
                .inputs = step.inputs,
                .held = held,
                .padded = step.padded,
                .own_memory = step.own_memory,
                .output = written_[step.output],
                .region = with_rows(step.region, strip.rows),
                .begins = begins(step, strip.rows),
                .kept = step.kept ? written_[*step.kept].map.data : nullptr,
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

Status PassRunner::run_strip(const Running& now, const PassStrip& strip) {
  const TilePass& pass = now.ready.pass;
  const PassStep& step = pass.steps[strip.step];
  const TensorPlace& place = pass.places[step.output];
  if (place.kind == TensorPlace::Kind::arena) {
    const auto axis = row_axis(place.held);
    const int32_t held_from = (read_[step.output].map.region.*axis).begin;
    written_[step.output] = in_arena(place, strip.first_row);
    read_[step.output] = read_only(written_[step.output]);
    const TensorView& output = written_[step.output].map;
    move_rows(output, axis, held_from, strip.moved);
    if (place.stored.box != place.held) fill_around(output, place.held, place.stored.neutral);
  }
  const Status done = step.runner->run(layer_run(now, strip, strip.held));
  if (!done) return done;
  if (step.copied_to && strip.rows.end == rows_of(step.region).end) {
    copy(read_[step.output].map, now.outputs[*step.copied_to],
         pass.program.outputs[*step.copied_to].region);
  }
  return success();
}

}  // namespace shingle

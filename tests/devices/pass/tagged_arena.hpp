// TaggedArena: memory in which every float remembers which map's row it is (or column, where a pass
// cuts the map along x), to play a pass on.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "devices/layers/product_runner.hpp"
#include "devices/native/native_fusion.hpp"
#include "devices/pass/tile_pass.hpp"

namespace shingle::tests {

class TaggedArena {
 public:
  struct Tag {
    size_t place = SIZE_MAX;
    int32_t row = 0;
    size_t writer = 0;  // who is at it; 0: nobody any more
    friend bool operator==(const Tag&, const Tag&) = default;
  };

  TaggedArena(const Model& model, const TilePass& pass)
      : model_(model), pass_(pass), floats_(static_cast<size_t>(pass.arena_bytes / 4)) {
    for (const TensorPlace& place : pass.places)
      first_row_.push_back((place.stored.box.*row_axis(place.held)).begin);
  }

  // Which rows the step's places hold at a strip: as in PassAccess, before its rows move or after.
  enum class Time : uint8_t { before, after };
  void look_at(const PassStep& step, std::span<const int32_t> first_rows, Time time = Time::after) {
    first_row_[step.output] = first_rows[time == Time::before ? 0 : 1];
    for (size_t i = 0; i < step.inputs.size(); ++i) first_row_[step.inputs[i]] = first_rows[2 + i];
  }

  // What happens before a strip: its map's rows move, and the first one packs an operand.
  void move(const PassStrip& strip) {
    const PassStep& step = pass_.steps[strip.step];
    const size_t place = step.output;
    if (step.kept && begins(step, strip.rows)) write(*step.kept, pass_.places[*step.kept].held);
    if (!in_arena(place)) return;
    const Region rows = rows_of(place, strip.moved);
    must_hold(place, rows);
    first_row_[place] = strip.first_row;
    write(place, rows);
  }

  void write(size_t place, const Region& region, size_t writer = 0) {
    each_row(place, region, [&](Tag& tag, int32_t row) { tag = {place, row, writer}; });
  }

  void must_hold(size_t place, const Region& region, size_t writer = 0) {
    int64_t wrong = 0;
    each_row(place, region, [&](Tag& tag, int32_t row) {
      wrong += tag == Tag{place, row, writer} ? 0 : 1;
    });
    REQUIRE(wrong == 0);
  }

  // What the strip reads.
  void must_hold_inputs(const PassStrip& strip) {
    const PassStep& step = pass_.steps[strip.step];
    for (size_t i = 0; i < step.inputs.size(); ++i)
      must_hold(step.inputs[i], read_in_strip(model_, step, i, strip.rows));
    if (step.kept) must_hold(*step.kept, pass_.places[*step.kept].held);
  }

  // What the step reads to compute `region`.
  void must_hold_inputs(const PassStep& step, const Region& region) {
    for (size_t i = 0; i < step.inputs.size(); ++i)
      if (!step.runner->reads_once(i)) must_hold(step.inputs[i], read_by(model_, step, i, region));
    if (step.kept) must_hold(*step.kept, pass_.places[*step.kept].held);
  }

  bool in_arena(size_t place) const { return pass_.places[place].kind == TensorPlace::Kind::arena; }

  // Whole rows, as they are stored.
  Region rows_of(size_t place, Span rows) const {
    return with_rows(pass_.places[place].held, rows);
  }

 private:
  template <class Visit>
  void each_row(size_t place, const Region& region, const Visit& visit) {
    if (!in_arena(place) || region.empty()) return;
    const bool down = row_axis(pass_.places[place].held) == &Region::y;
    for (int32_t y = region.y.begin; y < region.y.end; ++y)
      for (int32_t x = region.x.begin; x < region.x.end; ++x)
        for (Tag& tag : pixel(place, y, x, region.c)) visit(tag, down ? y : x);
  }

  std::span<Tag> pixel(size_t place, int32_t y, int32_t x, Span c) {
    const TensorPlace& p = pass_.places[place];
    Region box = p.stored.box;  // as far as it is there
    box.*row_axis(p.held) = {first_row_[place], first_row_[place] + p.rows};
    if (p.ring) y = box.y.begin + (y - box.y.begin) % p.rows;
    REQUIRE((y >= box.y.begin && y < box.y.end && x >= box.x.begin && x < box.x.end));
    const int64_t first = offset_in(box, y, x, box.c.begin);
    const auto begin = static_cast<size_t>(p.offset / 4 + first + c.begin - box.c.begin);
    REQUIRE(begin + static_cast<size_t>(c.size()) <= floats_.size());
    return std::span(floats_).subspan(begin, static_cast<size_t>(c.size()));
  }

  const Model& model_;
  const TilePass& pass_;
  std::vector<Tag> floats_;
  std::vector<int32_t> first_row_;  // by place
};

// Says what our kernels' runner says, or what plain loops' says, and computes nothing.
class StandInRunner final : public LayerRunner, public PartRunner {
 public:
  explicit StandInRunner(bool ours) : ours_(ours) {}
  bool takes_rings() const override { return ours_; }
  const PartRunner* in_parts() const override { return this; }
  WorkNeeds needs(const Region&, bool, int) const override { return {}; }
  Status run(const LayerRun&) override { return success(); }
  std::vector<LayerPart> parts(const Region& region, bool, int) const override {
    return {{.region = region, .written = region}};
  }
  bool divides(const Region&, bool pool) const override { return !pool; }
  int64_t operations(const Region& region, bool) const override { return region.elements(); }
  void run_part(const LayerRun&, const LayerPart&, int) const override {}

 private:
  const bool ours_;
};

// A pass as it would be planned if our kernels, or none but plain loops, computed its convolutions
// and products. Products' runners are the real ones; they and the pass end together.
enum class Kernels : uint8_t { ours, none };
struct PlannedPass : TilePass {
  std::vector<std::shared_ptr<LayerRunner>> products;
};
inline PlannedPass planned_pass(const Model& model, const TileProgram& program, PassOptions options,
                                Kernels which) {
  const auto natively = [&](const Step& step) {
    return runs_natively(model, model.at(step.layer), step.algorithm, step.output.c);
  };
  const std::vector<FusedStep> fused = fuse_steps(model, program, native_fusion(model, natively));
  static StandInRunner ours(true), plain(false);
  std::vector<LayerRunner*> runners;
  PlannedPass planned;
  for (const FusedStep& fused_step : fused) {
    const Step& step = program.steps[fused_step.main];
    const bool is_ours = which == Kernels::ours && natively(step);
    runners.push_back(is_ours ? &ours : &plain);
    if (which == Kernels::none || !std::holds_alternative<MatrixProduct>(model.at(step.layer).op))
      continue;
    planned.products.push_back(std::make_shared<ProductRunner>(model, step.layer, step.output.c));
    runners.back() = planned.products.back().get();
  }
  static_cast<TilePass&>(planned) = plan_pass(model, program, fused, runners, options);
  return planned;
}

}  // namespace shingle::tests

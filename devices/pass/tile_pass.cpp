#include "devices/pass/tile_pass.hpp"

#include <algorithm>

#include "devices/pass/memory_plan.hpp"
#include "devices/pass/pass_planner.hpp"
#include "partition/model/demand.hpp"

namespace shingle {

Region read_by(const Model& model, const PassStep& step, size_t input, const Region& region) {
  const Layer& layer = model.at(step.layer);
  if (input == layer.inputs.size()) return region;  // added element by element
  const Region map = step.pool ? demand(model, model.at(*step.pool), 0, region) : region;
  const Region computed = computed_region(step.algorithm, model.at(layer.output).shape, map);
  return demand(model, layer, input, computed);
}

Region read_in_strip(const Model& model, const PassStep& step, size_t input, Span rows) {
  if (!begins(step, rows) && step.runner->reads_once(input)) return {};
  return read_by(model, step, input, with_rows(step.region, rows));
}

int64_t bytes_of(const TensorPlace& place) {
  Region stored = place.stored.box;
  stored.*row_axis(place.held) = {0, place.rows};
  return bytes_of(stored, ElementType::f32) + readable_past_end;
}

namespace {

// Tries manners of making one pass.
class Chooser {
 public:
  Chooser(const Model& model, const TileProgram& program, const std::vector<FusedStep>& fused,
          const std::vector<LayerRunner*>& runners)
      : model_(model), program_(program), fused_(fused), runners_(runners) {}

  TilePass pass(const PassManner& manner) const {
    return make_pass(model_, program_, fused_, runners_, manner);
  }

  // One stage where that holds little beside whole maps; else whatever holds at least a tenth less
  // than what was tried before it. Lower strips, which are slower, where only they hold little.
  // Where skips over most of a network keep more rows for strips than whole maps would take, all
  // steps compute all rows.
  TilePass in_strips(int64_t pixels, int64_t macs) const {
    const int64_t whole = layer_wise_bytes(model_, program_);
    PassManner manner{.strip_pixels = pixels, .strip_macs = macs};
    const auto holds_little = [&](const TilePass& pass) { return pass.arena_bytes * 2 <= whole; };
    TilePass best = pass(manner);
    if (holds_little(best)) return best;
    manner.in_stages = true;
    for (const bool deep : {false, true}) {
      manner.deep_in_strips = deep;
      TilePass staged = pass(manner);
      if (staged.arena_bytes * 10 <= best.arena_bytes * 9) best = std::move(staged);
    }
    if (holds_little(best)) return best;
    manner.strip_pixels = std::max<int64_t>(pixels / 4, 1);  // in stages, deep layers in strips too
    if (TilePass low = pass(manner); holds_little(low)) return low;
    return best.arena_bytes <= whole ? std::move(best) : smaller(std::move(best), pass({}));
  }

  // The largest stored first, one more at a time, while what is computed again is a quarter at
  // most.
  TilePass within(int64_t max_bytes, int64_t pixels, TilePass best) const {
    PassManner manner{.strip_pixels = std::max<int64_t>(pixels / 4, 1), .deep_in_strips = true};
    TilePass low = pass(manner);
    const std::vector<size_t> skips = largest_skips(low);
    best = smaller(std::move(best), std::move(low));
    for (size_t n = 1; n <= skips.size() && best.arena_bytes > max_bytes; ++n) {
      manner.again = recompute(model_, program_, fused_,
                               {skips.begin(), skips.begin() + static_cast<std::ptrdiff_t>(n)});
      if (macs_again(model_, program_, fused_, manner.again) * 4 > macs(model_, program_)) break;
      best = smaller(std::move(best), pass(manner));
    }
    return best;
  }

 private:
  static TilePass smaller(TilePass a, TilePass b) {
    return b.arena_bytes < a.arena_bytes ? std::move(b) : std::move(a);
  }

  // Fused steps whose maps wait for late readers, by what `pass` stores of them.
  std::vector<size_t> largest_skips(const TilePass& pass) const {
    std::vector<size_t> skips = steps_with_late_readers(model_, program_, fused_);
    const auto stored = [&](size_t step) {
      const TensorPlace& place = pass.places[pass.steps[step].output];
      return place.kind == TensorPlace::Kind::arena ? bytes_of(place) : 0;
    };
    std::stable_sort(skips.begin(), skips.end(),
                     [&](size_t a, size_t b) { return stored(a) > stored(b); });
    constexpr size_t most = 8;
    if (skips.size() > most) skips.resize(most);
    return skips;
  }

  const Model& model_;
  const TileProgram& program_;
  const std::vector<FusedStep>& fused_;
  const std::vector<LayerRunner*>& runners_;
};

}  // namespace

TilePass plan_pass(const Model& model, const TileProgram& program,
                   const std::vector<FusedStep>& fused, const std::vector<LayerRunner*>& runners,
                   PassOptions options) {
  const Chooser chooser(model, program, fused, runners);
  if (!options.strip_pixels) return chooser.pass({});
  TilePass pass = chooser.in_strips(*options.strip_pixels, options.strip_macs);
  if (pass.arena_bytes <= options.max_bytes) return pass;
  return chooser.within(options.max_bytes, *options.strip_pixels, std::move(pass));
}

bool same_program(const TileProgram& a, const TileProgram& b) {
  return a.inputs == b.inputs && a.outputs == b.outputs && a.steps == b.steps;
}

}  // namespace shingle

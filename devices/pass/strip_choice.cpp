#include "devices/pass/strip_choice.hpp"

#include <algorithm>
#include <array>

#include "devices/executor/weighted_window.hpp"
#include "partition/model/demand.hpp"

namespace shingle {

namespace {

// Deep in a network the weights outgrow the map: strips would stream them again and again.
bool weighs_more_than_its_map(const Model& model, const PassStep& step) {
  const std::optional<WeightedWindow> op = weighted_window(model.at(step.layer));
  return op && model.at(op->weights).count >= step.region.elements();
}

// Winograd's weights are transformed for a strip, others are read for it; most layers have none.
int64_t share_of_pixels(const Model& model, const PassStep& step, const PassManner& manner) {
  if (step.algorithm == Algorithm::winograd4) return 1;
  const bool shared = manner.strip_macs > 0;  // by threads, which want work enough for each
  return weighted_window(model.at(step.layer)) || shared ? 8 : 16;
}

// Can it be computed in strips? A rearrangement along both axes can, where halves of its output
// read little more than halves of its input: a map that becomes one row.
bool goes_in_strips(const Model& model, const PassStep& step) {
  const Layer& layer = model.at(step.layer);
  if (goes_along_first_input(model, layer)) return true;
  if (!std::holds_alternative<Rearrange>(layer.op)) return false;
  const Region all = read_by(model, step, 0, step.region);
  const Span rows = rows_of(step.region);
  const int32_t middle = rows.begin + rows.size() / 2;
  return std::ranges::all_of(
      std::array{Span{rows.begin, middle}, Span{middle, rows.end}}, [&](Span half) {
        if (half.empty()) return false;
        const Region read = read_by(model, step, 0, with_rows(step.region, half));
        return int64_t{(read.*row_axis(all)).size()} * 4 <= int64_t{rows_of(all).size()} * 3;
      });
}

// Rows of the output that make a strip: pixels enough of the convolution's own map, and work.
int64_t strip_rows(const Model& model, const PassStep& step, const PassManner& manner) {
  const int64_t share = share_of_pixels(model, step, manner);
  const int64_t pixels = std::max<int64_t>(1, *manner.strip_pixels / share);
  const Region map = step.pool ? demand(model, model.at(*step.pool), 0, step.region) : step.region;
  const int32_t height = rows_of(step.region).size();
  const int64_t row_macs = macs(model, step.layer, map) / height;
  const int64_t worth_it = row_macs > 0 ? (manner.strip_macs + row_macs - 1) / row_macs : 0;
  const int64_t row_pixels = int64_t{map.y.size()} * map.x.size() / height;
  const int64_t rows = (pixels + row_pixels - 1) / row_pixels;
  return std::clamp<int64_t>(std::max(rows, worth_it), 1, height);
}

}  // namespace

StripStep strip_step(const Model& model, const PassStep& step, const PassManner& manner) {
  const Span all = rows_of(step.region);
  StripStep result{.rows = all, .quantum = all.size()};
  const bool deep = !manner.deep_in_strips && weighs_more_than_its_map(model, step);
  if (deep || !goes_in_strips(model, step)) return result;
  if (step.algorithm == Algorithm::winograd4) result.grid = winograd_grid / (step.pool ? 2 : 1);
  // As even as they can be: a last strip of few rows would read all weights for them.
  const auto strips = static_cast<int32_t>(all.size() / strip_rows(model, step, manner));
  const int32_t even = (all.size() + strips - 1) / strips;
  result.quantum = (even + result.grid - 1) / result.grid * result.grid;
  return result;
}

}  // namespace shingle

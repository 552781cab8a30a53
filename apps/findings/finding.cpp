#include "apps/findings/finding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace shingle {
namespace {

constexpr size_t told = 5;

// By picture pixel along one axis: the cell in which its middle lies; -1: outside the input.
struct AxisOfInput {
  double scale = 1.0, begin = 0.0;
  int32_t size = 0;
};
std::vector<int32_t> cells_along(int pixels, int32_t cells, const AxisOfInput& input) {
  std::vector<int32_t> found(static_cast<size_t>(pixels), -1);
  for (int pixel = 0; pixel < pixels; ++pixel) {
    const double at = (pixel + 0.5) * input.scale + input.begin;
    if (at < 0.0 || at >= input.size) continue;
    const auto cell = static_cast<int32_t>(at / input.size * cells);
    found[static_cast<size_t>(pixel)] = std::min(cell, cells - 1);
  }
  return found;
}

// f(cell) for each pixel of the picture, row by row; -1: outside the input.
template <class F>
void for_each_cell(PixelSize cells, Shape input, const Placement& placement, PixelSize picture,
                   F f) {
  const auto columns =
      cells_along(picture.width, cells.width, {placement.scale_x, placement.left, input.w});
  const auto rows =
      cells_along(picture.height, cells.height, {placement.scale_y, placement.top, input.h});
  for (const int32_t row : rows)
    for (const int32_t column : columns)
      f(row < 0 || column < 0 ? int64_t{-1} : int64_t{row} * cells.width + column);
}

}  // namespace

ClassMap in_picture(const ClassMap& cells, Shape input, const Placement& placement,
                    PixelSize picture) {
  ClassMap map{.width = picture.width, .height = picture.height, .classes = {}};
  map.classes.reserve(static_cast<size_t>(area_of(picture)));
  for_each_cell({cells.width, cells.height}, input, placement, picture, [&](int64_t cell) {
    map.classes.push_back(cell < 0 ? ClassMap::unseen : cells.classes[static_cast<size_t>(cell)]);
  });
  return map;
}

ValueMap in_picture(const ValueMap& cells, Shape input, const Placement& placement,
                    PixelSize picture) {
  constexpr float unseen = std::numeric_limits<float>::quiet_NaN();
  ValueMap map{.width = picture.width, .height = picture.height, .values = {}};
  map.values.reserve(static_cast<size_t>(area_of(picture)));
  for_each_cell({cells.width, cells.height}, input, placement, picture, [&](int64_t cell) {
    map.values.push_back(cell < 0 ? unseen : cells.values[static_cast<size_t>(cell)]);
  });
  return map;
}

FoundRange range_of(const ValueMap& map) {
  std::optional<FoundRange> range;
  for (const float value : map.values) {
    if (!std::isfinite(value)) continue;
    if (!range) range = {value, value};
    range->least = std::min(range->least, value);
    range->most = std::max(range->most, value);
  }
  return range.value_or(FoundRange{});
}

Classification best_of(std::span<const float> scores, float min_score) {
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int id) { return !(scores[static_cast<size_t>(id)] >= min_score); });
  const auto better = [&](int a, int b) {
    const float of_a = scores[static_cast<size_t>(a)], of_b = scores[static_cast<size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  const size_t count = std::min(told, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                    better);
  Classification best;
  for (size_t i = 0; i < count; ++i)
    best.push_back({order[i], scores[static_cast<size_t>(order[i])]});
  return best;
}

std::vector<ClassShare> shares_of(const ClassMap& map) {
  std::map<int32_t, int64_t> counts;
  for (size_t i = 0; i < map.classes.size();) {  // by runs: maps are large, their areas too
    const size_t begin = i;
    while (i < map.classes.size() && map.classes[i] == map.classes[begin]) ++i;
    counts[map.classes[begin]] += static_cast<int64_t>(i - begin);
  }
  counts.erase(ClassMap::unseen);
  std::vector<ClassShare> shares;
  for (const auto& [class_id, pixels] : counts) shares.push_back({class_id, pixels});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const ClassShare& a, const ClassShare& b) { return a.pixels > b.pixels; });
  return shares;
}

}  // namespace shingle

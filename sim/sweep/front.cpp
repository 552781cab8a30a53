#include "sim/sweep/front.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "sim/experiment/statistics.hpp"

namespace shingle::sim {

namespace {

// Ascending by costs; what dominates comes before what it dominates.
std::vector<size_t> sorted(const std::vector<Costs>& all) {
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return all[a] < all[b]; });
  return order;
}

// Slices along the last objective: within a slice the same points matter.
double volume(std::vector<Costs> points, const Costs& reference) {
  const size_t last = reference.size() - 1;
  if (points.empty()) return 0.0;
  if (last == 0) {
    const auto least = std::ranges::min_element(points);
    return std::max(0.0, reference[0] - (*least)[0]);
  }
  std::ranges::sort(points, [&](const Costs& a, const Costs& b) { return a[last] < b[last]; });
  const Costs below(reference.begin(), reference.end() - 1);
  double sum = 0.0;
  std::vector<Costs> seen;
  for (size_t i = 0; i < points.size(); ++i) {
    Costs point(points[i].begin(), points[i].end() - 1);
    if (std::ranges::none_of(seen, [&](const Costs& other) { return dominates(other, point); })) {
      std::erase_if(seen, [&](const Costs& other) { return dominates(point, other); });
      seen.push_back(std::move(point));
    }
    const double until = i + 1 < points.size() ? points[i + 1][last] : reference[last];
    if (until > points[i][last]) sum += (until - points[i][last]) * volume(seen, below);
  }
  return sum;
}

}  // namespace

bool dominates(const Costs& a, const Costs& b) {
  assert(a.size() == b.size());
  bool better = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

std::vector<size_t> front_of(const std::vector<Costs>& all) {
  std::vector<size_t> front;
  for (const size_t each : sorted(all))
    if (std::ranges::none_of(front, [&](size_t other) { return dominates(all[other], all[each]); }))
      front.push_back(each);
  std::ranges::sort(front);
  return front;
}

std::vector<uint32_t> front_ranks(const std::vector<Costs>& all) {
  std::vector<uint32_t> ranks(all.size());
  std::vector<std::vector<size_t>> fronts;
  for (const size_t each : sorted(all)) {
    size_t rank = 0;
    const auto is_below = [&](const std::vector<size_t>& front) {
      return std::ranges::any_of(front,
                                 [&](size_t other) { return dominates(all[other], all[each]); });
    };
    while (rank < fronts.size() && is_below(fronts[rank])) ++rank;
    if (rank == fronts.size()) fronts.emplace_back();
    fronts[rank].push_back(each);
    ranks[each] = static_cast<uint32_t>(rank);
  }
  return ranks;
}

double hypervolume(const std::vector<Costs>& points, const Costs& reference) {
  std::vector<Costs> inside;
  for (const size_t each : front_of(points)) {
    inside.push_back(points[each]);
    for (size_t i = 0; i < reference.size(); ++i)
      inside.back()[i] = std::min(inside.back()[i], reference[i]);
  }
  return volume(std::move(inside), reference);
}

CostRange range_of(const std::vector<Costs>& all) {
  assert(!all.empty());
  CostRange range{all.front(), all.front()};
  for (const Costs& costs : all)
    for (size_t i = 0; i < costs.size(); ++i) {
      range.least[i] = std::min(range.least[i], costs[i]);
      range.largest[i] = std::max(range.largest[i], costs[i]);
    }
  return range;
}

std::vector<Costs> scaled(const std::vector<Costs>& all, const CostRange& range) {
  std::vector<Costs> result = all;
  for (Costs& costs : result)
    for (size_t i = 0; i < costs.size(); ++i) {
      const double width = range.largest[i] - range.least[i];
      costs[i] = width > 0.0 ? (costs[i] - range.least[i]) / width : 0.0;
    }
  return result;
}

bool are_tied(const SeedFigures& a, const SeedFigures& b, size_t objectives) {
  const size_t seeds = std::min(a.size(), b.size());
  if (seeds == 0) return false;
  for (size_t objective = 0; objective < objectives; ++objective) {
    std::vector<double> differences;
    for (size_t seed = 0; seed < seeds; ++seed)
      differences.push_back(a[seed][objective] - b[seed][objective]);
    const Interval interval = interval_of(differences);
    if (std::abs(interval.mean) > interval.half_width) return false;
  }
  return true;
}

}  // namespace shingle::sim

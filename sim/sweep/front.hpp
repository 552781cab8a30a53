// What is best where there are several costs: fronts, the volume that they dominate, and designs
// that chance alone tells apart. All costs are minimised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shingle::sim {

using Costs = std::vector<double>;

// At least as good in all, and better in one.
bool dominates(const Costs& a, const Costs& b);

// Indices of those that no other one dominates, ascending. Equal costs stand beside each other.
std::vector<size_t> front_of(const std::vector<Costs>& all);

// By index: 0 on the front, 1 on the front of the rest, ...
std::vector<uint32_t> front_ranks(const std::vector<Costs>& all);

// The volume between the points and the reference that at least one point dominates. Points beyond
// the reference count as if they were on it.
double hypervolume(const std::vector<Costs>& points, const Costs& reference);

// Least and largest of each cost. REQUIRES: not empty.
struct CostRange {
  Costs least, largest;
};
CostRange range_of(const std::vector<Costs>& all);
// From 0 at the least to 1 at the largest; 0 where all are equal.
std::vector<Costs> scaled(const std::vector<Costs>& all, const CostRange& range);

// Figures of one design by seed. Two designs are compared seed by seed: equal seeds draw equal
// frames.
using SeedFigures = std::vector<std::vector<double>>;

// The 95 % interval of their difference contains zero in each of the first `objectives` figures.
bool are_tied(const SeedFigures& a, const SeedFigures& b, size_t objectives);

}  // namespace shingle::sim

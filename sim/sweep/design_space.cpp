#include "sim/sweep/design_space.hpp"

#include <algorithm>
#include <cassert>
#include <set>

namespace shingle::sim {

namespace {

constexpr int most_tries = 1000;
constexpr size_t few_combinations = 1'000'000;  // that are cheaper to list than to hit

// False: that was the last one.
bool advance(const DesignSpace& space, Design& design) {
  for (size_t i = design.size(); i-- > 0;) {
    if (++design[i] < space.axes[i].values) return true;
    design[i] = 0;
  }
  return false;
}

}  // namespace

bool DesignSpace::contains(const Design& design) const {
  assert(design.size() == axes.size());
  uint32_t sum = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (design[i] >= axes[i].values) return false;
    if (!axes[i].adds.empty()) sum += axes[i].adds[design[i]];
  }
  return !most || sum <= *most;
}

size_t combinations(const DesignSpace& space) {
  size_t product = 1;
  for (const DesignAxis& axis : space.axes)
    if (__builtin_mul_overflow(product, static_cast<size_t>(axis.values), &product))
      return SIZE_MAX;
  return product;
}

std::vector<Design> all_designs(const DesignSpace& space) {
  std::vector<Design> designs;
  Design design(space.axes.size(), 0);
  do {
    if (space.contains(design)) designs.push_back(design);
  } while (advance(space, design));
  return designs;
}

std::optional<Design> draw(const DesignSpace& space, Dice& dice) {
  for (int i = 0; i < most_tries; ++i) {
    Design design;
    for (const DesignAxis& axis : space.axes)
      design.push_back(static_cast<uint32_t>(dice.below(axis.values)));
    if (space.contains(design)) return design;
  }
  return std::nullopt;
}

std::vector<Design> draw_several(const DesignSpace& space, size_t count, uint64_t seed) {
  Dice dice(mixed_bits(seed));
  std::set<Design> drawn;
  if (combinations(space) <= few_combinations) {
    std::vector<Design> all = all_designs(space);
    for (size_t i = 0; i < std::min(count, all.size()); ++i) {
      std::swap(all[i], all[i + dice.below(all.size() - i)]);
      drawn.insert(all[i]);
    }
  } else {
    for (size_t tries = 0; drawn.size() < count && tries < 100 * count; ++tries) {
      const std::optional<Design> design = draw(space, dice);
      if (!design) break;
      drawn.insert(*design);
    }
  }
  return {drawn.begin(), drawn.end()};
}

}  // namespace shingle::sim

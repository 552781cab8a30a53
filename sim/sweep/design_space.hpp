// DesignSpace: all designs that a sweep may try, as plain numbers. A design chooses one value of
// each axis; what a value means is not known here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "partition/base/dice.hpp"

namespace shingle::sim {

using Design = std::vector<uint32_t>;  // by axis: the index of its value

struct DesignAxis {
  uint32_t values = 1;
  bool ordered = false;  // neighbours are like each other
  // What each value adds to the sum that is limited; empty: nothing.
  std::vector<uint32_t> adds{};
};

struct DesignSpace {
  std::vector<DesignAxis> axes{};
  std::optional<uint32_t> most{};  // of the sum of what a design's values add

  bool contains(const Design& design) const;  // REQUIRES: one value of each axis
};

// How many combinations there are, the limit not regarded; SIZE_MAX if they are more.
size_t combinations(const DesignSpace& space);

// All designs in ascending order, the last axis fastest. REQUIRES: their combinations fit memory.
std::vector<Design> all_designs(const DesignSpace& space);

// Each design of the space is equally likely. None: a thousand combinations in a row are outside.
std::optional<Design> draw(const DesignSpace& space, Dice& dice);

// Up to `count` different designs, ascending; fewer if the space has no more.
std::vector<Design> draw_several(const DesignSpace& space, size_t count, uint64_t seed);

}  // namespace shingle::sim

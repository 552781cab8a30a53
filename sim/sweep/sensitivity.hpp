// What matters most: how much of the variance of a figure over all designs that were run the
// choice of one axis explains.
#pragma once

#include "sim/sweep/design_space.hpp"

namespace shingle::sim {

struct AxisEffect {
  // Of the variance, from 0 to 1: the variance of the means by value (the main effect). What only
  // several axes together explain is in none.
  double share = 0.0;
  std::vector<double> means{};     // by value; not a number: no design has it
  std::vector<uint32_t> counts{};  // designs, by value
};

// By axis. REQUIRES: a figure for each design.
std::vector<AxisEffect> main_effects(const DesignSpace& space, const std::vector<Design>& designs,
                                     const std::vector<double>& figures);

}  // namespace shingle::sim

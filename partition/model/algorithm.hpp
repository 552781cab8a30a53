// Algorithm: by which formulas a convolution is computed. It decides how results round, so it
// belongs to the plan and is the same on every node; which kernel carries it out is each machine's
// own affair and changes no bit.
//
//   direct     every output by itself.
//   winograd4  F(4x4, 3x3): sixteen outputs at a time from 6x6 inputs, with a quarter of the
//              multiplications (Lavin & Gray 2015). The 4x4 groups lie on a grid anchored at the
//              map's (0, 0), so that an output sees the same operands in every tile. The price: a
//              tile is rounded out to the grid and reads what that asks for.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

enum class Algorithm : uint8_t { direct, winograd4 };

inline constexpr int32_t winograd_grid = 4;

// A 3x3 convolution of stride and dilation 1 in one group.
bool winograd_fits(const Layer& layer);

// Which layers use Winograd: none, those where it was measured to be faster on any grid (a rule of
// the model alone), or every one that it fits (for tests).
enum class WinogradUse : uint8_t { never, where_faster, wherever_it_fits };
Algorithm chosen_algorithm(const Model& model, const Layer& layer, WinogradUse use);

// What is really computed so that `output` of the layer's map is: `output`, or what it is rounded
// out to. REQUIRES: `output` lies on the map.
Region computed_region(Algorithm algorithm, Shape map, const Region& output);

}  // namespace shingle

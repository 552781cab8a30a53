// Algorithm: the formula by which a convolution is computed. It decides how results are rounded, so
// it is part of the plan and the same on every node. Which kernel computes it is each machine's own
// choice and changes no bit.
//
//   direct     computes every output by itself.
//   winograd4  F(4x4, 3x3): sixteen outputs at a time from 6x6 inputs, with a quarter of the
//              multiplications (Lavin & Gray 2015). The 4x4 groups lie on a grid anchored at the
//              map's (0, 0), so that an output has the same operands in every tile. The price: a
//              tile is extended to the grid and reads the inputs of the extended tile.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

enum class Algorithm : uint8_t { direct, winograd4 };

inline constexpr int32_t winograd_grid = 4;

// A 3x3 convolution of stride and dilation 1 in one group.
bool winograd_fits(const Layer& layer);

// Which layers use Winograd: none, those where it was measured to be faster (a rule that depends on
// the model alone), or every layer that it fits (for tests).
enum class WinogradUse : uint8_t { never, where_faster, wherever_it_fits };
Algorithm chosen_algorithm(const Model& model, const Layer& layer, WinogradUse use);

// The region that is really computed to obtain `output`: `output` itself, or `output` extended to
// the algorithm's grid. REQUIRES: `output` lies on the map.
Region computed_region(Algorithm algorithm, Shape map, const Region& output);

}  // namespace shingle

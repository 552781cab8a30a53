// Outlines: where the connected areas of a map of set and clear pixels end.
//
//   . . . . . . .      two areas of set pixels, whose pixels touch by a side or a corner; in the
//   . # # # . # .      larger one a hole, whose pixels touch by a side. The outline of an area are
//   . # . # . # .      set pixels of its border; that of a hole are the set pixels beside it.
//   . # # # . . .
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/pictures/picture_view.hpp"

namespace shingle {

struct GridPoint {
  int32_t x = 0, y = 0;
  friend auto operator<=>(const GridPoint&, const GridPoint&) = default;
};
using Outline = std::vector<GridPoint>;  // has all corners of the convex hull; in no order

// One for each area and for each hole; clear pixels that reach the map's border are no hole. Last
// found first: in the opposite order of first pixels, row by row. `map`: rows from the top, 0 is
// clear. REQUIRES: as many pixels as the size says.
std::vector<Outline> outlines_of(std::span<const uint8_t> map, PixelSize size);

}  // namespace shingle

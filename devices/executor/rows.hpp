// Rows: a map of which only some rows are stored at a time, as a ring. A new row takes the place of
// an older one that nobody reads any more:
//
//   kept = 4    [ row 8 | row 9 | row 6 | row 7 ]       row y lies in place (y - begin) mod kept
//
// A map that is stored whole is a ring with room for all rows.
#pragma once

#include "devices/executor/view.hpp"

namespace shingle {

template <class View>
struct Rows {
  Rows() = default;
  Rows(const View& whole) : map(whole), kept(whole.region.y.size()) {}
  Rows(const View& of, int32_t stored) : map(of), kept(stored) {}

  View map;  // its region is the whole map's, its data has room for `kept` rows
  int32_t kept = 0;
};
using InputMap = Rows<ConstTensorView>;
using OutputMap = Rows<TensorView>;

// REQUIRES: (y, x, c) lies on an f32 map, and row y is stored.
template <class View>
auto* at(const Rows<View>& rows, int32_t y, int32_t x, int32_t c) {
  const int32_t first = rows.map.region.y.begin;
  return at(rows.map, first + (y - first) % rows.kept, x, c);
}

}  // namespace shingle

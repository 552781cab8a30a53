// Maps that take over the memory of others, row by row.
//
// A map of as many rows of as many bytes may lie where another map is still being read, if each of
// its rows is written after the last reading of that row: strip by strip, an attention's result
// replaces what it was asked with.
//
//   strip        reads        writes       memory
//     7       queries 0..32                QQQQQQQQ
//     9                      result 0..32  RRQQQQQQ
//    10       queries 33..65               RRQQQQQQ
//    12                      result 33..65 RRRRQQQQ
#pragma once

#include <optional>
#include <vector>

#include "devices/pass/tile_pass.hpp"

namespace shingle {

// By place: the place whose memory it can take over. Each is taken over once at most, and both are
// stored whole. REQUIRES: the strips of the pass are planned.
std::vector<std::optional<size_t>> takeovers(const Model& model, const TilePass& pass);

}  // namespace shingle

// PassPieces: the strips of a pass, cut for threads so that they wait for each other as little as
// possible.
//
//   strip 7   [ 0 | 1 | 2 ]                thread A   0  2   1' ...
//   strip 8        [ 0'| 1'| 2']           thread B    1   0'   2' ...    0' begins while 2 runs
//
//   * Successive strips whose runners compute in parts form one stretch. Its pieces begin in order,
//   each on the next free thread.
//   * A piece waits until the first `after` pieces of its stretch have ended. Among them are all
//   pieces that write what it reads or writes, or read what it writes. This includes older rows of
//   a ring and other maps in the same bytes.
//   * Any other strip is a stretch by itself, without pieces: its runner shares it among the
//   threads.
//
// Pieces begin in order, so a piece only waits for pieces that already run; there is no deadlock.
#pragma once

#include <functional>

#include "devices/pass/tile_pass.hpp"

namespace shingle {

struct PassPiece {
  uint32_t strip = 0;
  LayerPart part;
  Region held;         // the part of the step's input 0 that it reads
  uint32_t after = 0;  // the number of pieces at the stretch's front that must have ended
};

struct PassStretch {
  size_t first_strip = 0, last_strip = 0;  // both included
  size_t first_piece = 0, pieces = 0;
  int64_t operations = 0;
};

struct PassPieces {
  std::vector<PassPiece> pieces;
  std::vector<PassStretch> stretches;  // cover the strips in order
};

// How a step's region is cut into parts.
using CutForThreads =
    std::function<std::vector<LayerPart>(const PassStep& step, const Region& region)>;

PassPieces cut_pass(const Model& model, const TilePass& pass, const CutForThreads& cut);

// The same with the parts of the steps' runners for so many threads.
PassPieces cut_pass(const Model& model, const TilePass& pass, int threads);

}  // namespace shingle

// PassPieces: the strips of a pass cut for threads, so that none waits where it need not.
//
//   strip 7   [ 0 | 1 | 2 ]                thread A   0  2   1' ...
//   strip 8        [ 0'| 1'| 2']           thread B    1   0'   2' ...    0' begins while 2 runs
//
//   * Successive strips whose runners compute in parts are one stretch. Its pieces begin in their
//     order, each on the next thread that is free.
//   * A piece waits until all pieces before its `after` have ended: the last of these is the last
//     one that writes what it reads or writes, or reads what it writes, a ring's older rows and
//     other maps in the same bytes included.
//   * Any other strip is a stretch by itself, without pieces: whoever runs it shares it out.
//
// Pieces begin in order, so whoever waits waits for pieces that run: no two wait for each other.
#pragma once

#include <functional>

#include "devices/pass/tile_pass.hpp"

namespace shingle {

struct PassPiece {
  uint32_t strip = 0;
  LayerPart part;
  Span held;           // rows of the step's input 0 that it reads
  uint32_t after = 0;  // pieces of its stretch, from the stretch's first
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

// How a step's region is shared out.
using CutForThreads =
    std::function<std::vector<LayerPart>(const PassStep& step, const Region& region)>;

PassPieces cut_pass(const Model& model, const TilePass& pass, const CutForThreads& cut);

// As the steps' runners cut them for so many threads.
PassPieces cut_pass(const Model& model, const TilePass& pass, int threads);

}  // namespace shingle

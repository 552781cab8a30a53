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
//   * A chain: successive strips of the same rows, each of which can be cut so that its parts read
//   only what parts of the same number wrote. Parts of one number are one piece: a thread takes its
//   rows (or columns, of a map of one row) through all these layers, and finds them in its cache.
//
//       layers    [ 0 | 1 ]  [ 0 | 1 ]  [ 0 | 1 ]        thread A   0 0 0
//                                                        thread B   1 1 1
//
//   * What a runner keeps of an input, and rows that move in a map, are pieces before the strip.
//   * Any other strip is a stretch by itself, without pieces: its runner shares it among the
//   threads.
//
// Pieces begin in order, so a piece only waits for pieces that already run; there is no deadlock.
#pragma once

#include <functional>

#include "devices/pass/pass_access.hpp"

namespace shingle {

// What a piece does of one strip.
struct PassCall {
  enum class Kind : uint8_t { compute, keep, move };
  Kind kind = Kind::compute;
  uint32_t strip = 0;
  LayerPart part;                // compute
  Region held;                   // the part of the step's input 0 that it reads; compute
  int32_t index = 0, count = 0;  // as in PartRunner::keep_part(); keep
};

struct PassPiece {
  uint32_t first_call = 0, calls = 0;  // one after the other
  uint32_t after = 0;  // the number of pieces at the stretch's front that must have ended
};

struct PassStretch {
  size_t first_strip = 0, last_strip = 0;  // both included
  size_t first_piece = 0, pieces = 0;
  int64_t operations = 0;
};

struct PassPieces {
  std::vector<PassCall> calls;
  std::vector<PassPiece> pieces;
  std::vector<PassStretch> stretches;  // cover the strips in order

  // As PassAccess says.
  PassAccess::FirstRows first_rows(size_t strip) const {
    return std::span(rows_).subspan(rows_of_[strip], rows_of_[strip + 1] - rows_of_[strip]);
  }
  std::vector<int32_t> rows_;
  std::vector<uint32_t> rows_of_{0};  // by strip, where its own begin
};

// How steps are shared, as PartRunner says.
struct CutForThreads {
  int threads = 1;
  std::function<std::vector<LayerPart>(const PassStep& step, const Region& region)> parts;
  std::function<bool(const PassStep& step, const Region& part)> divides;
  std::function<int64_t(const PassStep& step, const Region& region)> operations;
};

PassPieces cut_pass(const Model& model, const TilePass& pass, const CutForThreads& cut);

// The same with the parts of the steps' runners for so many threads.
PassPieces cut_pass(const Model& model, const TilePass& pass, int threads);

}  // namespace shingle

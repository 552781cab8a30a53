// A sequence as the measures see it: for each frame which true and which found objects are there,
// and how much their boxes overlap. Ids are small whole numbers, without gaps.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/drone/boxes/assignment.hpp"

namespace shingle::drone {

struct ScoredFrame {
  std::vector<size_t> truth{},
      found{};            // ids: below true_ids, below found_ids; each once in a frame
  Matrix overlaps{0, 0};  // a row for each true box, a column for each found one
};

struct Sequence {
  std::vector<ScoredFrame> frames{};  // all of the video, those without boxes too
  size_t true_ids = 0, found_ids = 0;
  uint64_t true_boxes = 0, found_boxes = 0;
};

constexpr double match_overlap = 0.5;  // of CLEAR, of identity, of preprocessing
constexpr double rounding = 0x1p-52;   // a box at the limit counts as matched, as in TrackEval

}  // namespace shingle::drone

// Which boxes count: what is done with truth and result before anything is measured.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "apps/drone/boxes/mot_text.hpp"
#include "apps/drone/score/sequence.hpp"

namespace shingle::drone {

// none:     true boxes with a score other than 0, whatever their class.
// mot17:    MOTChallenge's rule. All true boxes are paired with found ones (overlap 0.5 at least);
//           a found box whose partner is a distractor (classes 2, 7, 8, 12) does not count. Of the
//           true boxes, those of class 1 with a score other than 0 count.
// visdrone: the rule of VisDrone's tracking challenge. True boxes of the classes 0 (ignored region)
//           and 11 (others) are regions; boxes of either side that lie in their frame's regions by
//           half or more do not count. The challenge's classes 1, 4, 5, 6 and 9 (pedestrian, car,
//           van, truck, bus) count, here without regard to each other; all others are distractors.
enum class Benchmark : uint8_t { none, mot17, visdrone };

struct CountingRules {
  Benchmark benchmark = Benchmark::none;
  uint32_t frames = 0;  // of the video; no row may have a later one
  // Found boxes without a partner that lie in these by half or more do not count (frame 0: in all
  // frames).
  std::span<const MotRow> ignored{};
};

struct NamedRows {
  std::string name;  // the file's, for error sentences
  std::span<const MotRow> rows;
};

// The sequence that is left. Refuses an id that is twice in a frame, and rows after the last frame.
Result<Sequence> sequence_of(const NamedRows& truth, const NamedRows& result,
                             const CountingRules& rules);

}  // namespace shingle::drone

// Boxes of a video as MOTChallenge writes them: a line for each box,
//   frame,id,x,y,w,h,score,class,visible      frames count from 1; x, y is the top left corner
// Detections have the id -1. A ground truth's score is 1, or 0 where the box is not to be counted;
// its class and the share that is visible follow. A result has -1,-1,-1 at the end. VisDrone's
// video annotations have the same first eight fields.
// Source: motchallenge.net (Milan et al. 2016, arXiv:1603.00831); VisDrone's toolkit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/drone/boxes/pixel_box.hpp"
#include "partition/base/result.hpp"

namespace shingle::drone {

// The last frame that a file may name: 55 hours at 25 a second. More is a mistake, and would fill
// the memory with empty frames.
constexpr uint32_t last_frame = 5'000'000;

struct MotRow {
  uint32_t frame = 1;
  int64_t id = -1;
  PixelBox box;
  double score = 1.0;
  int class_id = -1;  // -1: the line names none
  size_t line = 0;    // of the file, from 1 on
};

// All lines in their order; empty lines are left out. `name` is the file's, for error sentences.
// Fields may be separated by commas or blanks. A line has at least six fields. `first_frame` is the
// least that a line may have: 0 for a file of regions, where it means all frames.
Result<std::vector<MotRow>> read_mot(std::string_view text, const std::string& name,
                                     uint32_t first_frame = 1);

// A line of a result, with its newline.
std::string mot_line(const MotRow& row);

}  // namespace shingle::drone

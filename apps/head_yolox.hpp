// YOLOX's undecoded head: one row per cell of three grids (strides 8, 16, 32), finest first, each
// row [dx, dy, log w, log h, objectness, class scores...].
//
//   centre = (cell + d) * stride    size = exp(log size) * stride    score = objectness * class
//
// (Ge et al., "YOLOX: Exceeding YOLO Series in 2021"; scores leave the network as probabilities.)
#pragma once

#include <span>
#include <vector>

#include "apps/detection.hpp"
#include "partition/region.hpp"

namespace shingle {

int64_t yolox_rows(Shape input);  // cells of the three grids

// `rows` holds yolox_rows(input) rows of `row_size` floats. Boxes in input pixels; only the best
// class of each cell, and only scores of at least `min_score`. REQUIRES: row_size > 5.
std::vector<Detection> decode_yolox(std::span<const float> rows, int64_t row_size, Shape input,
                                    float min_score);

}  // namespace shingle

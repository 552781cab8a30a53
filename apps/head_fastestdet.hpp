// FastestDet's head: one map of a sixteenth of the input, channels [objectness, dx, dy, w, h, class
// scores...].
//
//   centre = (cell + tanh d) / cells    size = sigmoid(size), a share of the whole input
//   score = objectness^0.6 * class^0.4
//
// (github.com/dog-qiuqiu/FastestDet, its ncnn example; its scores leave the network as
// probabilities.)
#pragma once

#include <span>
#include <vector>

#include "apps/detection.hpp"
#include "partition/region.hpp"

namespace shingle {

// `map` holds `cells.c` planes of cells.h x cells.w floats, the file's order. Boxes in input
// pixels; only the best class of each cell, and only scores of at least `min_score`. REQUIRES:
// cells.c > 5.
std::vector<Detection> decode_fastestdet(std::span<const float> map, Shape cells, Shape input,
                                         float min_score);

}  // namespace shingle

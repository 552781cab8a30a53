// Maps over the whole input, vectors, and the picture on which most networks that make them were
// trained.
#pragma once

#include "apps/heads/head.hpp"

namespace shingle {

// 1xCxHxW, or 1xHxW as one channel, as C, H, W; of one output. None: it is no map.
std::optional<Shape> only_map(const Clues& clues);

// The numbers of 1xN or 1xNx1x1, of one output. 0: it is no vector.
int64_t only_vector(const Clues& clues);

// ImageNet's mean and deviation, for RGB of 0 to 255.
Preparation imagenet_preparation(Fit fit);

}  // namespace shingle

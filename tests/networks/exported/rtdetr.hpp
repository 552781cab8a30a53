// What the two halves of RT-DETR share.
#pragma once

#include <array>

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks::rtdetr {

inline constexpr int64_t features = 256, hidden = 1024, heads = 8, classes = 80;

// Maps at strides 8, 16 and 32.
using Pyramid = std::array<Value, 3>;

// 300 queries, or as many as there are pixels: [1, queries, classes] and [1, queries, 4], centre
// and size as shares of the input.
struct Queries {
  Value logits, boxes;
};
Queries decoded(Exporter& to, const Pyramid& maps);

}  // namespace shingle::networks::rtdetr

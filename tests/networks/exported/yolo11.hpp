// The parts of YOLO11n that its tasks share, as Ultralytics exports them.
#pragma once

#include <array>

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks::yolo11 {

struct Block {
  int64_t channels = 1;
  int64_t kernel = 3;
  int64_t stride = 1;
  int64_t groups = 1;
  float gain = silu_gain;
};
// Linear layers behind the large values of SiLU, whose results a softmax or a sigmoid reads.
inline constexpr float score_gain = 0.2F;
Value conv_silu(Exporter& to, const Value& x, const Block& block);

// Maps at strides 8, 16 and 32.
using Pyramid = std::array<Value, 3>;
Pyramid backbone_and_neck(Exporter& to, const Value& x);

// [1, 84, boxes]: centre, size and 80 scores, decoded.
Value detect(Exporter& to, const Pyramid& maps);

// [1, 20, boxes]: centre, size, 15 scores, angle.
Value detect_turned(Exporter& to, const Pyramid& maps);

// [1, channels, boxes]: a branch of the head beside boxes and scores.
struct Beside {
  int64_t inner, channels;
};
Value beside(Exporter& to, const Pyramid& maps, const Beside& branch);

}  // namespace shingle::networks::yolo11

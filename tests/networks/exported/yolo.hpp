// The parts that the nano networks YOLO11 and YOLO26 and their tasks share, as Ultralytics exports
// them.
#pragma once

#include <array>

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks::yolo {

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

enum class Version : uint8_t { yolo11, yolo26 };

// Maps at strides 8, 16 and 32.
using Pyramid = std::array<Value, 3>;
Pyramid backbone_and_neck(Exporter& to, const Value& x, Version version);

// YOLO11's. [1, 84, boxes]: centre, size and 80 scores, decoded.
Value detect(Exporter& to, const Pyramid& maps);

// YOLO11's. [1, 20, boxes]: centre, size, 15 scores, angle.
Value detect_turned(Exporter& to, const Pyramid& maps);

// YOLO26's head of one box for each object. [1, rows, 6]: corners, score, class, best first; 300
// rows, or as many as there are cells.
Value detect_end_to_end(Exporter& to, const Pyramid& maps);

// [1, channels, boxes]: a branch of the head beside boxes and scores.
struct Branch {
  int64_t inner, channels;
  float shift = 0.0F;  // around which its values lie
};
Value beside(Exporter& to, const Pyramid& maps, const Branch& branch);

}  // namespace shingle::networks::yolo

// How good detections are against the truth: matched at an overlap (IoU) of 0.5, each vehicle once,
// best detections first. Vehicles that do not count (mostly hidden) are neither missed nor false.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/scene/files.hpp"

namespace shingle {

constexpr float match_overlap = 0.5F;
constexpr double counted_visible = 0.5;  // share of a vehicle that must be seen for it to count

struct Wanted {
  Box box;
  bool counts = true;
};
std::vector<Wanted> wanted_of(std::span<const TruthRow> rows, uint32_t frame);

struct Judgement {
  struct Shown {
    float score = 0.0F;
    bool hit = false;
  };
  std::vector<Shown> shown;  // detections, without those on vehicles that do not count
  uint64_t wanted = 0;
};

// Adds one picture. REQUIRES: `found` has the best score first.
void judge(Judgement& judgement, std::span<const Detection> found, std::span<const Wanted> wanted);

// The area under precision over recall, precision being the best at this recall or more.
double average_precision(const Judgement& judgement);

struct RecallPrecision {
  double recall = 0.0, precision = 0.0;
};
RecallPrecision at_score(const Judgement& judgement, float min_score);

}  // namespace shingle

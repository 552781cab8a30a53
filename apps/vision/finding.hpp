// Finding: what a model says of one picture, in the picture's terms. A closed set.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "apps/vision/detection.hpp"
#include "apps/vision/picture.hpp"

namespace shingle {

// Outputs that nobody interpreted (the head 'raw').
struct Unread {
  friend bool operator==(const Unread&, const Unread&) = default;
};

// A class for each pixel of the picture.
struct ClassMap {
  static constexpr int32_t unseen = -1;  // the model did not look there (cropped)
  int32_t width = 0, height = 0;
  std::vector<int32_t> classes;  // rows of `width`, from the top
  friend bool operator==(const ClassMap&, const ClassMap&) = default;
};

struct ClassScore {
  int class_id = 0;
  float score = 0.0F;  // a probability
  friend bool operator==(const ClassScore&, const ClassScore&) = default;
};
using Classification = std::vector<ClassScore>;  // best first, at most five

using Detections = std::vector<Detection>;  // best first, in the picture's pixels

using Finding = std::variant<Unread, Detections, ClassMap, Classification>;

// Each picture pixel's class: that of the cell of `cells` (spread over the whole input) in which
// the pixel's middle lies.
ClassMap in_picture(const ClassMap& cells, Shape input, const Placement& placement,
                    cv::Size picture);

// The best five with a score of at least `min_score`; equal scores in the order of their classes.
Classification best_of(std::span<const float> scores, float min_score);

// Pixels of each class in the map, by class, those of none left out; most first.
struct ClassShare {
  int32_t class_id = 0;
  int64_t pixels = 0;
  friend bool operator==(const ClassShare&, const ClassShare&) = default;
};
std::vector<ClassShare> shares_of(const ClassMap& map);

}  // namespace shingle

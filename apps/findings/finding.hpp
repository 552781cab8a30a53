// Finding: what a model says of one picture, in the picture's terms. A closed set.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "apps/findings/detection.hpp"
#include "apps/findings/mask.hpp"
#include "apps/findings/turned_box.hpp"
#include "apps/pictures/placement.hpp"

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

struct Instance {
  Detection detection;
  Mask mask;
  friend bool operator==(const Instance&, const Instance&) = default;
};
using Instances = std::vector<Instance>;  // best first, as all objects

struct KeyPoint {
  float x = 0.0F, y = 0.0F;  // in pixels
  float score = 0.0F;        // that it is there to be seen; 0: no place is known
  friend bool operator==(const KeyPoint&, const KeyPoint&) = default;
};
struct BodyPose {
  Detection detection;
  std::vector<KeyPoint> points;  // in the network's order
  friend bool operator==(const BodyPose&, const BodyPose&) = default;
};
using BodyPoses = std::vector<BodyPose>;

// A number for each pixel of the picture, as a depth. NaN: the model did not look there.
struct ValueMap {
  int32_t width = 0, height = 0;
  std::vector<float> values;  // rows of `width`, from the top
};

// A picture made from the picture: 8-bit, BGR or grey (which says how bright its pixels are).
struct NewPicture {
  Bitmap image;
};

struct ReadText {
  std::string text;            // UTF-8
  std::vector<int> classes{};  // by letter
  float score = 0.0F;          // the mean probability of the letters
  friend bool operator==(const ReadText&, const ReadText&) = default;
};

struct Features {
  std::vector<float> values;
  friend bool operator==(const Features&, const Features&) = default;
};

using Finding = std::variant<Unread, Detections, ClassMap, Classification, Instances, BodyPoses,
                             TurnedBoxes, ValueMap, NewPicture, ReadText, Features>;

// Each picture pixel's class: that of the cell of `cells` (spread over the whole input) in which
// the pixel's middle lies.
ClassMap in_picture(const ClassMap& cells, Shape input, const Placement& placement,
                    PixelSize picture);

// The same of a map of numbers.
ValueMap in_picture(const ValueMap& cells, Shape input, const Placement& placement,
                    PixelSize picture);

// Of the finite values of a map.
struct FoundRange {
  float least = 0.0F, most = 0.0F;  // both 0 where no value is finite
};
FoundRange range_of(const ValueMap& map);

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

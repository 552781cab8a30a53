// Head: how one kind of model speaks. Which outputs it has, what picture it was trained on, where
// its authors cut, and how its numbers read. Each is a row of functions in a file of its own under
// heads/; reading.hpp chooses one and uses it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "apps/vision/finding.hpp"
#include "apps/vision/picture.hpp"
#include "partition/readers/darknet.hpp"
#include "partition/readers/onnx.hpp"

namespace shingle {

// What a head may be told by, and decodes with.
struct Clues {
  Shape input;                       // of the picture that the model takes
  std::vector<ModelOutput> outputs;  // in the file's order
  OnnxMetadata metadata{};
  std::vector<DetectionLayer> detections{};  // of a Darknet cfg, one for each output
};
std::string_view metadata_of(const Clues& clues, std::string_view key);  // empty: not there

enum class Certainty {
  shared,       // other networks have these shapes too: the user must name the head
  distinctive,  // the shapes are this head's alone once the number of classes is known to be right
  stated        // the file itself says that its outputs are this head's
};

// What a head makes of a model whose outputs have its shapes.
struct Claim {
  int64_t classes = 0;  // 0: the shapes do not say
  Certainty certainty = Certainty::distinctive;
};

using Values = std::span<const std::vector<float>>;  // by output, in the file's order

// Boxes in input pixels, one for each place that has a score of at least min_score, its best class;
// overlaps are still there, and so are boxes that are not finite.
using DecodeBoxes = Detections (*)(const Clues&, Values, float min_score);
using DecodeMap = ClassMap (*)(const Clues&, Values);  // over the whole input, at any size
using DecodeScores = std::vector<float> (*)(const Clues&, Values);  // probabilities by class
using Decode = std::variant<std::monostate, DecodeBoxes, DecodeMap, DecodeScores>;

struct Head {
  const char* name;
  const char* outputs;        // their shapes, for people
  const char* task;           // what Ultralytics' metadata call it
  int64_t customary_classes;  // of its published models; 0: there is no such number
  float usual_min_score;
  int64_t usual_size;  // of its published models' pictures: height and width
  std::optional<Claim> (*claim)(const Clues&);  // none: the outputs have other shapes
  Preparation (*preparation)(const Clues&);
  Decode decode;  // REQUIRES: `claim` was made for these clues
};

extern const Head yolox_head, yolov5_head, yolov8_head, fastestdet_head, nanodet_head, yolov2_head,
    yolov3_head, segmentation_head, classification_head, raw_head;

std::span<const Head* const> all_heads();

}  // namespace shingle

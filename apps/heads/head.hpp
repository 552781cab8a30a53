// Head: how one kind of model speaks. Which outputs it has, what picture it was trained on, where
// its authors cut, and how its numbers read. Each is a row of functions in a file of its own under
// kinds/; reading.hpp chooses one and uses it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "apps/findings/finding.hpp"
#include "apps/pictures/placement.hpp"
#include "partition/readers/darknet.hpp"
#include "partition/readers/onnx.hpp"

namespace shingle {

// What a head may be told by, and decodes with.
struct Clues {
  Shape input;  // of the picture that the model takes
  // In the file's order, without those that only count others; maps with channels first.
  std::vector<ModelOutput> outputs;
  std::vector<size_t> channels_last{};  // the maps among them that the file has as 1xHxWxC
  OnnxMetadata metadata{};
  std::vector<DetectionLayer> detections{};  // of a Darknet cfg, one for each output
  bool takes_sizes = false;                  // a second input wants the picture's width and height
  std::vector<Anchor> anchors{};        // the user's, finest stride first; empty: the head's own
  std::vector<std::string> alphabet{};  // the user's letters, by class; empty: the head's own
};
std::string_view metadata_of(const Clues& clues, std::string_view key);  // empty: not there

enum class Certainty {
  shared,       // other networks have these shapes too: the user must name the head
  distinctive,  // the shapes are this head's alone once the number of classes is known to be right
  stated        // the file says so, or no other network is known to have such outputs
};

// What a head makes of a model whose outputs have its shapes.
struct Claim {
  int64_t classes = 0;  // 0: the shapes do not say
  Certainty certainty = Certainty::distinctive;
};

// By output, in the order of Clues::outputs. Where an output's size depends on the frame, the rows
// that do not count are zeros.
using Values = std::span<const std::vector<float>>;

// Boxes in input pixels, one for each place that has a score of at least min_score, its best class;
// overlaps are still there, and so are boxes that are not finite.
using DecodeBoxes = Detections (*)(const Clues&, Values, float min_score);
// The same of objects that have more than a box. Key points of no known place have the score 0.
struct MaskedDetection {
  Detection detection;
  std::vector<float> weights;  // of each prototype
};
struct MaskedDetections {
  std::vector<MaskedDetection> found;
  Prototypes prototypes;
};
using DecodeMasks = MaskedDetections (*)(const Clues&, Values, float min_score);
using DecodePoses = BodyPoses (*)(const Clues&, Values, float min_score);
using DecodeTurned = TurnedBoxes (*)(const Clues&, Values, float min_score);
// A picture as the model outputs it: one map for each channel, over the whole input.
struct Planes {
  std::span<const float> values;  // c x h x w
  Shape shape;
};
using DecodePicture = Planes (*)(const Clues&, Values);
using DecodeValues = ValueMap (*)(const Clues&, Values);  // over the whole input, at any size
using DecodeText = ReadText (*)(const Clues&, Values);
using DecodeFeatures = Features (*)(const Clues&, Values);
using DecodeMap = ClassMap (*)(const Clues&, Values);  // over the whole input, at any size
using DecodeScores = std::vector<float> (*)(const Clues&, Values);  // probabilities by class
using Decode =
    std::variant<std::monostate, DecodeBoxes, DecodeMap, DecodeScores, DecodeMasks, DecodePoses,
                 DecodeTurned, DecodePicture, DecodeValues, DecodeText, DecodeFeatures>;

struct Head {
  const char* name;
  const char* outputs;            // their shapes, for people
  const char* task;               // what Ultralytics' metadata call it
  int64_t customary_classes = 0;  // of its published models; 0: there is no such number
  float usual_min_score = 0.0F;
  int64_t usual_size = 640;  // of its published models' pictures: height and width
  std::optional<Claim> (*claim)(const Clues&);  // none: the outputs have other shapes
  Preparation (*preparation)(const Clues&);
  Decode decode;            // REQUIRES: `claim` was made for these clues
  bool is_final = false;    // the graph leaves no object twice: nothing is suppressed
  bool in_picture = false;  // boxes are in the pixels of the picture whose size the graph was given
  const char* only_class = nullptr;  // what a model's one class is called if nobody says
  bool any_batch = false;            // the first dimension of its outputs may be other than 1
};

extern const Head yolox_head, yolov5_head, yolov8_head, fastestdet_head, nanodet_head, yolov2_head,
    yolov3_head, segmentation_head, classification_head, end_to_end_head, end_to_end_seg_head,
    end_to_end_pose_head, end_to_end_obb_head, yolov8_seg_head, yolov8_pose_head, yolov8_obb_head,
    rtdetr_head, rtdetr_logits_head, rtdetr_rows_head, ssd_head, yolox_decoded_head, depth_head,
    picture_head, dbnet_head, ctc_head, ctc_last_head, features_head, raw_head;

std::span<const Head* const> all_heads();

}  // namespace shingle

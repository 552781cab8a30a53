// Head: how a model's outputs read as detections, and how a picture becomes its input. Chosen by
// the shapes of the outputs, or by the user.
#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <string>
#include <vector>

#include "apps/detection.hpp"
#include "apps/letterbox.hpp"
#include "partition/model.hpp"

namespace shingle {

enum class Head {
  raw,  // no detections: outputs as they are
  yolox,
  fastestdet
};

const char* name_of(Head head);

// `wish` is "auto" or a head's name. "auto" takes the head whose output shape is the model's, else
// raw; a named head that does not fit the model is an error that says why.
Result<Head> choose_head(const std::string& wish, const Model& model);

// What the head's model was trained on: how a picture fits the input, and element v as v * scale.
struct InputRecipe {
  Fit fit = Fit::stretch;
  float scale = 1.0F / 255.0F;
};
InputRecipe recipe_of(Head head);
float usual_min_score(Head head);  // where its authors cut

// The input of a model that takes a picture: one f32 input of 1 or 3 channels. An error otherwise.
Result<Shape> picture_shape(const Model& model);

// Makes the model take that picture as uint8 (take_image): frames travel as bytes.
Status take_picture(Model& model, Head head);

struct Thresholds {
  float min_score = 0.3F;
  float max_overlap = 0.45F;
};

// Detections in the picture's pixels, best first. outputs[i] is the model's output i in the file's
// order. REQUIRES: `head` was chosen for this model.
std::vector<Detection> detect(Head head, const Model& model, const Thresholds& thresholds,
                              std::span<const std::vector<float>> outputs, cv::Size picture);

}  // namespace shingle

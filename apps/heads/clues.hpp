// Clues to a model's head: what its file says, and what the user adds.
#pragma once

#include "apps/heads/head.hpp"
#include "apps/models/model_file.hpp"

namespace shingle {

// Of a model as it was read (before take_picture). A map that the file puts out as 1xHxWxC counts
// as 1xCxHxW, as heads know it.
Clues clues_of(const Model& model, const OnnxMetadata& metadata);
Clues clues_of(const ModelFile& file);

// "yolov5", "yolov7", or 18 numbers with commas: width and height of three anchors for each of the
// strides 8, 16 and 32, in input pixels. The sentence says what is wrong.
Result<std::vector<Anchor>> read_anchors(const std::string& text);

}  // namespace shingle

// The size that a model's pictures usually have, for a file that leaves it open.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "partition/readers/onnx.hpp"

namespace shingle {

// A size besides the first dimension's, which is 1 where nobody says otherwise.
bool leaves_sizes_open(const std::vector<OnnxInput>& inputs);

struct OpenModel {
  const std::vector<OnnxInput>& inputs;
  const OnnxMetadata& metadata;
  const std::string& refusal;  // without sizes
};

// What to write behind --shape, and why: "1x3x640x640 (what yolov8 usually takes)". `read_at` reads
// the model with such sizes: outputs tell the head, and they are not known before. None: with sizes
// it is refused by the same sentence.
std::optional<std::string> usual_shape(
    const OpenModel& model, const std::function<Result<Model>(const InputShapes&)>& read_at);

}  // namespace shingle

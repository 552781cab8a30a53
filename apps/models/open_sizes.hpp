// Models whose file leaves sizes open: what is known of one, and who can say which sizes to try.
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

using ReadAtSizes = std::function<Result<Model>(const InputShapes&)>;
// What to write behind --shape, and why; none where no sizes help. apps/vision/usual_size.hpp has
// one that knows the heads.
using SizeAdvice = std::function<std::optional<std::string>(const OpenModel&, const ReadAtSizes&)>;

}  // namespace shingle

// Models whose file leaves sizes open: what is known of such a file and its inputs, and a function
// that advises which sizes to try.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "partition/readers/onnx.hpp"

namespace shingle {

// Does it leave a size open other than the first dimension's? (That one is 1 unless the user says
// otherwise.)
bool leaves_sizes_open(const std::vector<OnnxInput>& inputs);

// A picture of 1xHxWxC, as TensorFlow has them; H and W may be open.
bool has_channels_last(const OnnxInput& input);

struct OpenModel {
  const std::vector<OnnxInput>& inputs;
  const OnnxMetadata& metadata;
  const std::string& refusal;  // why it was refused without sizes
};

using ReadAtSizes = std::function<Result<Model>(const InputShapes&)>;
// Returns what to do, as the end of the sentence that refuses the file; none if no sizes help.
// apps/heads/usual_size.hpp has one that knows the heads.
using SizeAdvice = std::function<std::optional<std::string>(const OpenModel&, const ReadAtSizes&)>;

}  // namespace shingle

// `--model NAME=FILE:EVERY` of `shingle run`: a model that computes every n-th frame of the input
// beside the main one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle {

struct FurtherModel {
  std::string name;    // under which its results are reported: letters, digits and '_'
  std::string path;    // an ONNX file, a compiled file, or a Darknet .cfg
  uint64_t every = 1;  // it computes frames 0, every, 2 * every, ...
};

// The sentence says what is wrong and how to write it.
Result<FurtherModel> read_further_model(const std::string& text);
// All of a command line's. The sentence also names a name that two of them have.
Result<std::vector<FurtherModel>> read_further_models(const std::vector<std::string>& texts);

}  // namespace shingle

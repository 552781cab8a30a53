// The inputs of a model that take no picture: `--input NAME=FILE` of `shingle run`, the same for
// all frames, and an input that takes the picture's size.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partition/model/model.hpp"
#include "runtime/driver/inbox.hpp"

namespace shingle {

struct FixedInputs {
  size_t picture = 0;                       // which input of the model takes the picture
  std::optional<size_t> size{};             // and which the picture's width and height
  std::vector<FrameInputs::Bytes> tensors;  // by input of the model; null: these two

  // REQUIRES: of the sizes of these inputs.
  FrameInputs with(FrameInputs::Bytes image, FrameInputs::Bytes picture_size) const;
};

// `texts` are "NAME=FILE", one for each input besides `picture`; picture_size_input() may be left
// out. A file holds float32 values, little-endian, in the order of the model's file. An error of
// kind usage: a text that names no such input, or an input that no text names. Of kind bad_input: a
// file that cannot be read or has another size. REQUIRES: `picture` is an input of the model.
Result<FixedInputs> read_fixed_inputs(const Model& model, TensorId picture,
                                      const std::vector<std::string>& texts);

}  // namespace shingle

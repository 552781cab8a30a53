// `--input NAME=FILE` of `shingle run`: the inputs of a model that take no picture. They are the
// same for all frames.
#pragma once

#include <string>
#include <vector>

#include "partition/model/model.hpp"
#include "runtime/driver/inbox.hpp"

namespace shingle {

struct FixedInputs {
  size_t picture = 0;                       // which input of the model takes the picture
  std::vector<FrameInputs::Bytes> tensors;  // by input of the model; null: the picture's

  // REQUIRES: of the picture input's size.
  FrameInputs with(FrameInputs::Bytes image) const;
};

// `texts` are "NAME=FILE", one for each input besides `picture`; a file holds float32 values,
// little-endian, in the order of the model's file. An error of kind usage: a text that names no
// such input, or an input that no text names. Of kind bad_input: a file that cannot be read or has
// another size. REQUIRES: `picture` is an input of the model.
Result<FixedInputs> read_fixed_inputs(const Model& model, TensorId picture,
                                      const std::vector<std::string>& texts);

}  // namespace shingle

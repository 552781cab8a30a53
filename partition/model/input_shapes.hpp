// Sizes of a model's inputs, given by the user or by a plan where the model's file leaves them
// open.
//
//   "1x3x480x640"             of the first input, in the file's order of dimensions
//   "1x3x480x640,1x1x480x640" of the first two
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingle {

using InputShapes = std::vector<std::vector<int64_t>>;  // by input, in the file's order

// At most 16 inputs of at most 16 dimensions, each from 1 to 2^20. None: the text has another form.
std::optional<InputShapes> read_input_shapes(std::string_view text);
std::string to_string(const InputShapes& shapes);  // read_input_shapes(to_string(s)) == s

}  // namespace shingle

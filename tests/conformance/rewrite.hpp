// Edits ONNX files field by field, without decoding the fields that stay unchanged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partition/readers/onnx/file.hpp"

namespace shingle::conformance {

struct BoundInput {
  std::string_view name;
  std::string_view tensor;  // a TensorProto, whatever its own name
};

struct FreeInput {
  std::string_view name;
  std::vector<int64_t> dims;
  int32_t type = 1;  // TensorProto.DataType
};

// `file` with these inputs only, with `constants` as additional initializers, and with this opset.
std::string rewritten(std::string_view file, const std::vector<FreeInput>& inputs,
                      const std::vector<BoundInput>& constants, int64_t opset);

// A TensorProto whose elements count as of another type of the same width.
std::string retyped(std::string_view tensor, int32_t type);

// A file whose graph holds this TensorProto as its only initializer.
std::string file_of_one_tensor(std::string_view tensor);

}  // namespace shingle::conformance

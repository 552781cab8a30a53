// The element types of ONNX values: their names, and which of them are read as floats.
//
// Values of the types float16, bfloat16 and double are 32-bit floats here, and so is all arithmetic
// on them, when the file is read and when it runs. 16-bit numbers are widened, which is exact;
// doubles are rounded once, when they are read. Only a Cast to a 16-bit type rounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partition/model/operator.hpp"
#include "partition/readers/onnx/file.hpp"

namespace shingle::onnx {

// True for the types whose values are 32-bit floats here.
bool holds_floats(DataType type);

// The name in onnx.proto3, in small letters: "float16"; "number 99" if there is no such type.
std::string type_name(int32_t type);

// What a Cast to `type` does to a float; none if it keeps the float as it is.
std::optional<Activation> rounding_to(DataType type);

// The same of one float that is known when the file is read.
float nearest(DataType type, float value);

// The elements of a tensor that holds_floats(), from their bytes, or from the field of its type.
// None if that field holds another number of elements.
// REQUIRES: `raw`, if given, holds `count` elements.
std::optional<std::vector<float>> floats_of(const TensorProto& tensor,
                                            std::optional<std::string_view> raw, size_t count);

}  // namespace shingle::onnx

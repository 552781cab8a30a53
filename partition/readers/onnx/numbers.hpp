// Numbers: what the floats of a value stand for. Maps hold floats only; integers and booleans of
// the file are floats that hold whole numbers (exact up to 2^24), booleans 0 and 1.
#pragma once

#include <cstdint>
#include <optional>

#include "partition/readers/onnx/file.hpp"

namespace shingle::onnx {

class Node;

enum class Numbers : uint8_t { real, whole, truth };

// None: values of this type are not computed.
std::optional<Numbers> numbers_of(int64_t data_type);

// What an output of a node holds. As ONNX's rules of types say, most operators give what
// their first input holds.
Numbers result_numbers(Node& node, size_t output);

}  // namespace shingle::onnx

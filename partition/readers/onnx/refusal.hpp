// Refusal: the exception by which the parts of the ONNX reader refuse a file. It is thrown inside
// readers/onnx only and caught at the entry points in onnx.cpp, which return its sentence as an
// Error.
#pragma once

#include <string>
#include <vector>

#include "partition/readers/onnx.hpp"

namespace shingle::onnx {

struct Refusal {
  std::string sentence;
  bool names_node = false;           // otherwise translate() adds the node's name
  std::vector<OnnxUnread> unread{};  // if it is refused for them
};

[[noreturn]] inline void refuse(std::string sentence) {
  throw Refusal{.sentence = std::move(sentence)};
}

}  // namespace shingle::onnx

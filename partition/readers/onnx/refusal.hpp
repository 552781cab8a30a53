// Refusal: how the ONNX reader's parts say no. It is thrown inside onnx*.cpp only and caught at the
// one entry point, read_onnx, which hands its sentence out as an Error.
#pragma once

#include <string>

namespace shingle::onnx {

struct Refusal {
  std::string sentence;
  bool names_node = false;  // else translate() says which node it came up in
};

[[noreturn]] inline void refuse(std::string sentence) {
  throw Refusal{.sentence = std::move(sentence)};
}

}  // namespace shingle::onnx

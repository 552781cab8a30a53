#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

void branch(Node& node) {
  node.refuse(
      "its condition is not known before a frame is there, and shingle computes the same layers "
      "for "
      "every frame; export the network with fixed sizes, or without the branch");
}

}  // namespace shingle::onnx

// Finds parts of joined values without a slice.
//
// Heads of detectors join what each of their branches found and split it again along the channels:
//
//   boxes 0 -+                                        slices of `all` are joins of what the
//            +- join c - rows -+                      branches made, and nobody reads `all`:
//   names 0 -+                 |
//                              +- join y: all         boxes 0 - rows -+
//   boxes 1 -+                 |                                      +- join y
//            +- join c - rows -+                      boxes 1 - rows -+
//   names 1 -+
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

struct Part {
  TensorId tensor;
  bool is_new = false;  // a layer that was made for it, so nobody else reads it
};

// The run of `count` indices from `begin` along `axis` of a tensor, if it consists of whole
// operands of joins that are no constants: one of them, or moves and joins of several. Costs a
// bounded number of layers; those of an attempt that fails are read by nobody. If the tensor has
// other readers, the moves and joins come on top of it, as a slice would.
std::optional<Part> whole_part(Node& node, TensorId tensor, Axis axis, int32_t begin,
                               int32_t count);

}  // namespace shingle::onnx

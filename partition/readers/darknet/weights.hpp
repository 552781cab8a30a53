// The bytes of a .weights file, taken layer by layer in the cfg's order.
//
//   int32 major, minor, revision | images seen: uint64 from version 0.2 on, else uint32 |
//   float32...
//
// Little-endian, nothing between or behind (Darknet's parser.c, load_weights_upto). A file that
// ends early is taken from on: views then look at nothing, and settle() says how much is missing.
#pragma once

#include <cstddef>
#include <span>

#include "partition/model/model.hpp"

namespace shingle::darknet {

class Weights {
 public:
  static Result<Weights> open(std::span<const std::byte> bytes);

  // The next `count` values. REQUIRES: count <= 2^30.
  FloatView take(int64_t count);

  bool complete() const { return taken_ <= values_; }  // has all that was taken been there?
  Status settle() const;  // was everything taken, and no more? Says by how many values not

 private:
  Weights(const std::byte* data, int64_t values) : data_(data), values_(values) {}

  const std::byte* data_;
  int64_t values_;     // in the file
  int64_t taken_ = 0;  // by the layers; may go beyond
};

}  // namespace shingle::darknet

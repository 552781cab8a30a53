// The bytes of a .weights file, taken layer by layer in the cfg's order.
//
//   int32 major, minor, revision | images seen: uint64 from version 0.2 on, else uint32 |
//   float32...
//
// Little-endian, without gaps (Darknet's parser.c, load_weights_upto). After the end of a file that
// is too short, take() returns views with `count` values and no data, and settle() says how many
// values are missing.
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

  bool complete() const {
    return taken_ <= values_;
  }  // true if everything taken so far was in the file
  Status settle()
      const;  // an error unless exactly all values were taken; says how many are left or missing

 private:
  Weights(const std::byte* data, int64_t values) : data_(data), values_(values) {}

  const std::byte* data_;
  int64_t values_;     // in the file
  int64_t taken_ = 0;  // by the layers; may exceed values_
};

}  // namespace shingle::darknet

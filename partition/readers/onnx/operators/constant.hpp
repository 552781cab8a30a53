// Constant: a value that is known when the file is read: an initializer, or what the file computes
// from shapes and other constants. Elements are in the file's (row-major) order.
#pragma once

#include <vector>

#include "partition/model/model.hpp"
#include "partition/readers/onnx/external.hpp"
#include "partition/readers/onnx/file.hpp"
#include "partition/readers/onnx/view.hpp"

namespace shingle::onnx {

struct Constant {
  Dims dims;
  bool integer = false;
  FloatView floats;               // if not integer
  std::vector<int64_t> integers;  // if integer; booleans are 0 and 1

  int64_t count() const;
  double at(int64_t i) const {
    return integer ? static_cast<double>(integers[static_cast<size_t>(i)]) : floats[i];
  }
};

// Bytes that reading the file may compute, and so the time that it may take: a few multiples of
// what it holds, which it has brought along, and a share of memory.
class Budget {
 public:
  Budget(int64_t brought, int64_t most) : left_(brought + most), most_(most) {}

  // Refuses when it is used up. Whoever makes elements charges them first, once.
  void charge(int64_t elements, int64_t bytes_each = 4);

 private:
  int64_t left_, most_;
};

// The product of dims; refuses negative dims and products above the limits.
int64_t checked_elements(const Dims& dims, const OnnxLimits& limits);

// Where computed constants live, and what they may cost; and where those of the file do.
struct ConstantStore {
  Model& model;  // owns the floats
  const OnnxLimits& limits;
  Budget budget;
  ExternalFiles external;

  // REQUIRES: the values were charged.
  Constant floats(Dims dims, std::vector<float> values);
  Constant integers(Dims dims, std::vector<int64_t> values);

  Constant from(const TensorProto& tensor);  // charges; refuses types it does not know
};

}  // namespace shingle::onnx

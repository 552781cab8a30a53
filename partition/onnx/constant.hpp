// Constant: a value that is known when the file is read: an initializer, or what the file computes
// from shapes and other constants. Elements are in the file's (row-major) order.
#pragma once

#include <vector>

#include "partition/model.hpp"
#include "partition/onnx/file.hpp"
#include "partition/onnx/view.hpp"

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

// Elements that reading the file may compute: a few multiples of what it holds, so that a small
// file cannot ask for much memory or time.
class Budget {
 public:
  explicit Budget(int64_t elements) : left_(elements) {}
  void charge(int64_t elements);  // refuses when it is used up

 private:
  int64_t left_;
};

// The product of dims; refuses negative dims and products above the limits.
int64_t checked_elements(const Dims& dims, const OnnxLimits& limits);

// Where computed constants live, and what they may cost.
struct ConstantStore {
  Model& model;  // owns the floats
  const OnnxLimits& limits;
  Budget budget;

  Constant floats(Dims dims, std::vector<float> values);
  Constant integers(Dims dims, std::vector<int64_t> values);
  Constant from(const TensorProto& tensor);  // refuses external data and types it does not know
};

}  // namespace shingle::onnx

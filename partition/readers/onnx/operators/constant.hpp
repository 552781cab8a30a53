// Constant: a value that is known when the file is read: an initializer, or the result of a
// computation on shapes and other constants. Elements are in the file's (row-major) order.
#pragma once

#include <optional>
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
  // The type that the file gives it. None: a result of arithmetic on constants.
  std::optional<DataType> type{};

  int64_t count() const;
  double at(int64_t i) const {
    return integer ? static_cast<double>(integers[static_cast<size_t>(i)]) : floats[i];
  }
};

// Bytes that reading the file may compute; this also bounds the time. The limit is a few multiples
// of the file's own size plus a fixed share of memory.
class Budget {
 public:
  Budget(int64_t brought, int64_t most) : left_(brought + most), most_(most) {}

  // Refuses when the budget is used up. Every function that makes elements charges them first,
  // once.
  void charge(int64_t elements, int64_t bytes_each = bytes_of(ElementType::f32));

 private:
  int64_t left_, most_;
};

// The product of dims; refuses negative dims and products above the limits.
int64_t checked_elements(const Dims& dims, const OnnxLimits& limits);

// Where computed constants and those of the file are kept, and what they may cost.
struct ConstantStore {
  Model& model;  // owns the floats
  const OnnxLimits& limits;
  Budget budget;
  ExternalFiles external;

  // REQUIRES: the values are charged already.
  Constant floats(Dims dims, std::vector<float> values);
  Constant integers(Dims dims, std::vector<int64_t> values);

  Constant from(const TensorProto& tensor);  // charges; refuses unknown types

 private:
  Constant elements_of(const TensorProto& tensor);
};

}  // namespace shingle::onnx

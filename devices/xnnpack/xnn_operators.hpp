// XnnOperator: a thin interface to XNNPACK. The library's generations differ in how an operator is
// created, adapted to a size and run; this header hides that. There is one file for each
// generation, xnn_operators_2022.cpp (Debian 12) and xnn_operators_2024.cpp (Debian 13). CMake
// takes the one that fits the installed header.
//
// Every operator reads one dense (y, x, c) box and adds no padding.
#pragma once

#include <limits>
#include <memory>

#include "partition/base/result.hpp"
#include "partition/model/operator.hpp"

struct pthreadpool;

namespace shingle {

// Bytes past the end of an input that an operator may read (never use).
inline constexpr int64_t xnnpack_extra_bytes = 16;

struct ValueRange {
  float minimum = -std::numeric_limits<float>::infinity();
  float maximum = std::numeric_limits<float>::infinity();
};

struct XnnConvolutionShape {
  Window y, x;  // the pads are ignored
  int32_t groups = 1;
  int32_t group_inputs = 1, group_outputs = 1;
  ValueRange range;
};

struct XnnRun {
  int32_t height = 1, width = 1;  // of the input box
  const float* in = nullptr;
  float* out = nullptr;
  pthreadpool* pool = nullptr;  // null: only the calling thread
};

class XnnOperator {
 public:
  XnnOperator(XnnOperator&&) noexcept;
  ~XnnOperator();

  // weights: [output channel][kernel y][kernel x][input channel of the group]; copied.
  static Result<XnnOperator> convolution(const XnnConvolutionShape& shape, const float* weights,
                                         const float* bias);
  static Result<XnnOperator> pooling(const Pooling& op, int32_t channels);

  // The setup for a size is reused until the size changes.
  Status run(const XnnRun& run);

 private:
  struct Made;  // the operator as its generation of XNNPACK has it

  explicit XnnOperator(Made made);

  std::unique_ptr<Made> made_;
};

}  // namespace shingle

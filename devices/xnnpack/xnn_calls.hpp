// What the files for XNNPACK's generations share: handles, integer types, errors.
#pragma once

#include <xnnpack.h>

#include <memory>
#include <string>
#include <utility>

#include "devices/xnnpack/xnn_operators.hpp"

namespace shingle {

static_assert(xnnpack_extra_bytes == XNN_EXTRA_BYTES);

struct XnnDelete {
  void operator()(xnn_operator_t handle) const { xnn_delete_operator(handle); }
};
using XnnHandle = std::unique_ptr<xnn_operator, XnnDelete>;

enum class XnnKind : uint8_t { convolution, max_pooling, average_pooling };

inline uint32_t u(int32_t value) { return static_cast<uint32_t>(value); }
inline size_t s(int32_t value) { return static_cast<size_t>(value); }

inline Error xnn_refused(const char* what, xnn_status status) {
  return Error{std::string("XNNPACK refuses to ") + what + " (status " + std::to_string(status) +
               ")"};
}

// XNNPACK's function that makes a convolution has different last arguments in each generation:
// `rest`.
template <class Create, class... Rest>
xnn_status create_convolution(Create create, const XnnConvolutionShape& shape, const float* weights,
                              const float* bias, Rest... rest) {
  return create(0, 0, 0, 0, u(shape.y.kernel), u(shape.x.kernel), u(shape.y.stride),
                u(shape.x.stride), u(shape.y.dilation), u(shape.x.dilation), u(shape.groups),
                s(shape.group_inputs), s(shape.group_outputs),
                s(shape.groups) * s(shape.group_inputs), s(shape.groups) * s(shape.group_outputs),
                weights, bias, shape.range.minimum, shape.range.maximum, 0, rest...);
}

}  // namespace shingle

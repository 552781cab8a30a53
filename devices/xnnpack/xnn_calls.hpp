// What the files of XNNPACK's generations share: its handle, its integers, its refusals.
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

}  // namespace shingle

// The versions of ONNX's operator set that the reader accepts.
#pragma once

#include <cstdint>

namespace shingle::onnx {

inline constexpr int64_t oldest_opset = 6, newest_opset = 26;

}  // namespace shingle::onnx

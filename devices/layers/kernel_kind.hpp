// KernelKind: what computes a layer on the native executor, in words for people. A machine may
// measure that XNNPACK's kernel is faster for a direct convolution (KernelChoices); bits are the
// same.
#pragma once

#include <string>

#include "partition/model/algorithm.hpp"

namespace shingle {

enum class KernelKind : uint8_t { winograd, direct, depthwise, product, recurrent, xnnpack, plain };

// Of the whole layer.
KernelKind kernel_kind(const Model& model, const Layer& layer, Algorithm algorithm);

const char* name_of(KernelKind kind);  // "own, Winograd", ...

// Why multiply-adds of the layer take longer than a convolution's: a clause. Empty: they do not.
std::string why_slow(const Model& model, const Layer& layer, KernelKind kind);

}  // namespace shingle

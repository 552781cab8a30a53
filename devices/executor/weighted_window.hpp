// WeightedWindow: what a convolution and a transposed one have in common.
#pragma once

#include <optional>

#include "partition/model/model.hpp"

namespace shingle {

struct WeightedWindow {
  Window y, x;
  int32_t groups = 1;
  ConstantId weights;
  std::optional<ConstantId> bias;
  bool transposed = false;
};

// None for all other operators.
inline std::optional<WeightedWindow> weighted_window(const Layer& layer) {
  const auto of = [](const auto& op, bool transposed) {
    return WeightedWindow{op.y, op.x, op.groups, op.weights, op.bias, transposed};
  };
  if (const auto* op = std::get_if<Convolution>(&layer.op)) return of(*op, false);
  if (const auto* op = std::get_if<TransposedConvolution>(&layer.op)) return of(*op, true);
  return std::nullopt;
}

}  // namespace shingle

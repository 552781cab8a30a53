// The constants that an operator itself has: weights and biases.
#pragma once

#include "partition/model/operator.hpp"

namespace shingle {

// Calls visit(id) for each, weights first. Of an operator that is not const, `visit` may change
// them.
template <class AnyOperator, class Visit>
void each_constant(AnyOperator& op, const Visit& visit) {
  const auto weighted = [&](auto& layer) {
    visit(layer.weights);
    if (layer.bias) visit(*layer.bias);
  };
  if (auto* convolution = std::get_if<Convolution>(&op)) weighted(*convolution);
  if (auto* transposed = std::get_if<TransposedConvolution>(&op)) weighted(*transposed);
  if (auto* recurrence = std::get_if<Recurrence>(&op)) {
    visit(recurrence->weights);
    if (recurrence->state_bias) visit(*recurrence->state_bias);
    if (recurrence->peepholes) visit(*recurrence->peepholes);
  }
}

}  // namespace shingle

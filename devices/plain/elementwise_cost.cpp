#include "devices/plain/elementwise.hpp"

namespace shingle {

int cost_of(const Activation& activation) {
  using Kind = Activation::Kind;
  switch (activation.kind) {
    case Kind::none:
    case Kind::abs:
    case Kind::neg:
    case Kind::clip:
    case Kind::relu:
    case Kind::leaky_relu:
    case Kind::hard_sigmoid:
    case Kind::hard_swish:
    case Kind::sqrt:
    case Kind::reciprocal:
      return 1;
    case Kind::sigmoid:
    case Kind::silu:
    case Kind::tanh:
    case Kind::elu:
    case Kind::softplus:
    case Kind::mish:
    case Kind::exp:
    case Kind::log:
    case Kind::erf:
      return 10;
    default:
      break;
  }
  if (family_of(activation.kind) == Family::angle) return 60;
  const bool compares = activation.kind == Kind::thresholded_relu ||
                        activation.kind == Kind::shrink ||
                        family_of(activation.kind) == Family::step;
  return compares ? 1 : 10;
}

}  // namespace shingle

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
    case Kind::to_half:
    case Kind::to_bfloat16:
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
  }
  return 1;
}

}  // namespace shingle

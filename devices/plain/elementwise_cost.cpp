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
    case Kind::thresholded_relu:
    case Kind::shrink:
    case Kind::sign:
    case Kind::floor:
    case Kind::ceil:
    case Kind::round:
    case Kind::truncate:
    case Kind::is_zero:
    case Kind::is_nonzero:
    case Kind::is_nan:
    case Kind::is_infinite:
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
    case Kind::gelu:
    case Kind::gelu_tanh:
    case Kind::swish:
      return 10;
    case Kind::sin:
    case Kind::cos:
    case Kind::tan:
    case Kind::asin:
    case Kind::acos:
    case Kind::atan:
    case Kind::sinh:
    case Kind::cosh:
    case Kind::asinh:
    case Kind::acosh:
    case Kind::atanh:
      return 60;
  }
  return 1;
}

}  // namespace shingle

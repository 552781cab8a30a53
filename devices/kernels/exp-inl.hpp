// exp, sigmoid and the activations of one vector. They use only correctly rounded operations (add,
// multiply, fused multiply-add, divide, round), so every instruction set with FMA gives the same
// bits.
//
// exp(x) = 2^n * exp(r) with n = round(x / ln 2) and |r| <= ln(2)/2. exp(r) is its Taylor sum to
// degree 7 (the next term is at most 0.3466^8 / 8! = 5e-9). ln 2 is split into two parts (Cody and
// Waite 1980), so that r is exact to 2^-24.
#if defined(SHINGLE_KERNELS_EXP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SHINGLE_KERNELS_EXP_INL
#undef SHINGLE_KERNELS_EXP_INL
#else
#define SHINGLE_KERNELS_EXP_INL
#endif

#include <hwy/highway.h>

#include "partition/model/operator.hpp"

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exponential(D d, V x) {
  // Beyond these bounds the result is 0 or infinity. n may be -150..128, so 2^n is applied in two
  // halves.
  const V bounded = hn::Min(hn::Max(x, hn::Set(d, -104.0F)), hn::Set(d, 89.0F));
  const V n = hn::Round(hn::Mul(bounded, hn::Set(d, 1.44269504F)));
  V r = hn::MulAdd(n, hn::Set(d, -0.693359375F), bounded);
  r = hn::MulAdd(n, hn::Set(d, 2.12194440e-4F), r);
  V p = hn::Set(d, 1.0F / 5040.0F);
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F / 720.0F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F / 120.0F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F / 24.0F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F / 6.0F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  const hn::Rebind<int32_t, D> di;
  const auto whole = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(whole);
  const auto power = [&](auto e) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(e, hn::Set(di, 127))));
  };
  return hn::Mul(hn::Mul(p, power(half)), power(hn::Sub(whole, half)));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V one_plus_exp_of_minus(D d, V x) {
  return hn::Add(hn::Set(d, 1.0F), exponential(d, hn::Neg(x)));
}

// Near 0 an odd polynomial, beyond it 1 - 2 / (exp(2|x|) + 1), as float_math::tanh.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V hyperbolic_tangent(D d, V x) {
  const V size = hn::Abs(x), square = hn::Mul(x, x), one = hn::Set(d, 1.0F);
  V p = hn::Set(d, 2.29247636e-3F);
  p = hn::MulAdd(p, square, hn::Set(d, -8.34365655e-3F));
  p = hn::MulAdd(p, square, hn::Set(d, 2.17688046e-2F));
  p = hn::MulAdd(p, square, hn::Set(d, -5.39592393e-2F));
  p = hn::MulAdd(p, square, hn::Set(d, 0.133333027F));
  p = hn::MulAdd(p, square, hn::Set(d, -0.333333343F));
  const V near_zero = hn::MulAdd(hn::Mul(x, square), p, x);
  const V rest = hn::Div(hn::Set(d, 2.0F), hn::Add(exponential(d, hn::Add(size, size)), one));
  const V far = hn::CopySign(hn::Sub(one, rest), x);
  return hn::IfThenElse(hn::Lt(size, hn::Set(d, 0.625F)), near_zero, far);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V hard_sigmoid(D d, V x, float alpha, float beta) {
  const V line = hn::MulAdd(x, hn::Set(d, alpha), hn::Set(d, beta));
  return hn::Min(hn::Max(line, hn::Zero(d)), hn::Set(d, 1.0F));
}

// REQUIRES: supported(activation).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V activate(D d, V x, const Activation& activation) {
  using Kind = Activation::Kind;
  switch (activation.kind) {
    case Kind::relu:
      return hn::Max(x, hn::Zero(d));
    case Kind::leaky_relu:
      return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(x, hn::Set(d, activation.alpha)), x);
    case Kind::clip:
      return hn::Min(hn::Max(x, hn::Set(d, activation.alpha)), hn::Set(d, activation.beta));
    case Kind::sigmoid:
      return hn::Div(hn::Set(d, 1.0F), one_plus_exp_of_minus(d, x));
    case Kind::silu:
      return hn::Div(x, one_plus_exp_of_minus(d, x));
    case Kind::hard_sigmoid:
      return hard_sigmoid(d, x, activation.alpha, activation.beta);
    case Kind::hard_swish:
      return hn::Mul(x, hard_sigmoid(d, x, 1.0F / 6.0F, 0.5F));
    default:
      return x;
  }
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

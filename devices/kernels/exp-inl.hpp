// exp, sigmoid and the activations of one vector: float_math.hpp's arithmetic, operation by
// operation, so that a kernel that applies an activation in its registers gives the bits of the
// loops over stored maps. Only correctly rounded operations, so every instruction set with fused
// multiply-add gives the same bits.
//
// exp(x) = 2^n * exp(r) with n = round(x / ln 2) and |r| <= ln(2)/2. exp(r) is a polynomial of
// degree 6. ln 2 is split into two parts (Cody and Waite 1980), so that r is exact to 2^-24.
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

// `shifted` holds n in its low bits.
template <class V>
struct Reduced {
  V r, shifted;
};

inline constexpr float round_here = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer

// x within bounds, where NaN stays NaN, as in the loops. On x86 Max and Min give their second
// operand if either is NaN; elsewhere they drop NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_least(D d, float low, V x) {
  const V bound = hn::Set(d, low);
#if HWY_ARCH_X86
  return hn::Max(bound, x);
#else
  return hn::IfThenElse(hn::Lt(x, bound), bound, x);
#endif
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_most(D d, float high, V x) {
  const V bound = hn::Set(d, high);
#if HWY_ARCH_X86
  return hn::Min(bound, x);
#else
  return hn::IfThenElse(hn::Lt(bound, x), bound, x);
#endif
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE Reduced<V> reduce(D d, V x) {
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504F), hn::Set(d, round_here));
  const V n = hn::Sub(shifted, hn::Set(d, round_here));
  const V r = hn::MulAdd(n, hn::Set(d, -0.693359375F), x);
  return {hn::MulAdd(n, hn::Set(d, 2.12194440e-4F), r), shifted};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V small_exponential(D d, V r) {
  V p = hn::Set(d, 1.38145348e-3F);
  p = hn::MulAdd(p, r, hn::Set(d, 8.36874545e-3F));
  p = hn::MulAdd(p, r, hn::Set(d, 4.16683927e-2F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.166665211F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.49999994F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
  return hn::MulAdd(p, r, hn::Set(d, 1.0F));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exponential(D d, V x) {
  // Beyond these bounds the result is 0 or infinity. n may be -150..128, so 2^n is applied in two
  // halves.
  const V bounded = at_most(d, 89.0F, at_least(d, -104.0F, x));
  const Reduced<V> reduced = reduce(d, bounded);
  const hn::Rebind<int32_t, D> di;
  const auto whole =
      hn::Sub(hn::BitCast(di, reduced.shifted), hn::BitCast(di, hn::Set(d, round_here)));
  const auto half = hn::ShiftRight<1>(whole);
  const auto power = [&](auto e) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(e, hn::Set(di, 127))));
  };
  const V value = small_exponential(d, reduced.r);
  return hn::Mul(hn::Mul(value, power(half)), power(hn::Sub(whole, half)));
}

// 1 + e^-x, where x counts as at most 87. REQUIRES: x >= -87, or NaN. So 2^n is no subnormal
// number, and is applied at once.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V one_plus_exp_of_minus(D d, V x) {
  const Reduced<V> reduced = reduce(d, hn::Neg(at_most(d, 87.0F, x)));
  const hn::Rebind<int32_t, D> di;
  const auto n = hn::BitCast(di, reduced.shifted);  // and what ShiftLeft drops
  const V power = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
  return hn::Add(hn::Set(d, 1.0F), hn::Mul(small_exponential(d, reduced.r), power));
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
HWY_INLINE V sigmoid(D d, V x) {
  constexpr float least = -87.0F;
  const V value = hn::Div(hn::Set(d, 1.0F), one_plus_exp_of_minus(d, at_least(d, least, x)));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, least)), value);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V silu(D d, V x) {
  const V bounded = at_least(d, -87.0F, x);
  return hn::Div(bounded, one_plus_exp_of_minus(d, bounded));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V hard_sigmoid(D d, V x, float alpha, float beta) {
  const V line = hn::Add(hn::Mul(x, hn::Set(d, alpha)), hn::Set(d, beta));
  return at_most(d, 1.0F, at_least(d, 0.0F, line));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V hard_swish(D d, V x) {
  return hn::Mul(x, hard_sigmoid(d, x, 1.0F / 6.0F, 0.5F));
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
      return sigmoid(d, x);
    case Kind::silu:
      return silu(d, x);
    case Kind::hard_sigmoid:
      return hard_sigmoid(d, x, activation.alpha, activation.beta);
    case Kind::hard_swish:
      return hard_swish(d, x);
    default:
      return x;
  }
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

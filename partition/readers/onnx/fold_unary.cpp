// Functions of one operand on constants.
#include <cmath>
#include <numbers>

#include "partition/readers/onnx/operators/broadcast.hpp"

namespace shingle::onnx {

namespace {

using Kind = Activation::Kind;

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double softplus(double x) {
  return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
double held(bool holds) { return holds ? 1.0 : 0.0; }
double gelu_tanh(double x) {
  const double root = std::sqrt(2.0 / std::numbers::pi);
  return 0.5 * x * (1.0 + std::tanh(root * (x + 0.044715 * x * x * x)));
}
double infinite(double x, double above, double below) {
  return held(std::isinf(x) && (x > 0.0 ? above : below) != 0.0);
}

struct NamedFunction {
  Kind kind;
  double (*of)(double x, double alpha, double beta);
};
constexpr NamedFunction functions[] = {
    {Kind::relu, [](double x, double, double) { return x < 0.0 ? 0.0 : x; }},
    {Kind::leaky_relu, [](double x, double alpha, double) { return x < 0.0 ? alpha * x : x; }},
    {Kind::clip, clamped},
    {Kind::sigmoid, [](double x, double, double) { return sigmoid(x); }},
    {Kind::silu, [](double x, double, double) { return x * sigmoid(x); }},
    {Kind::tanh, [](double x, double, double) { return std::tanh(x); }},
    {Kind::hard_sigmoid,
     [](double x, double alpha, double beta) { return clamped(alpha * x + beta, 0.0, 1.0); }},
    {Kind::hard_swish,
     [](double x, double, double) { return x * clamped(x / 6.0 + 0.5, 0.0, 1.0); }},
    {Kind::elu, [](double x, double alpha, double) { return x < 0.0 ? alpha * std::expm1(x) : x; }},
    {Kind::softplus, [](double x, double, double) { return softplus(x); }},
    {Kind::mish, [](double x, double, double) { return x * std::tanh(softplus(x)); }},
    {Kind::exp, [](double x, double, double) { return std::exp(x); }},
    {Kind::log, [](double x, double, double) { return std::log(x); }},
    {Kind::sqrt, [](double x, double, double) { return std::sqrt(x); }},
    {Kind::abs, [](double x, double, double) { return std::abs(x); }},
    {Kind::neg, [](double x, double, double) { return -x; }},
    {Kind::reciprocal, [](double x, double, double) { return 1.0 / x; }},
    {Kind::erf, [](double x, double, double) { return std::erf(x); }},
    {Kind::gelu,
     [](double x, double, double) { return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2)); }},
    {Kind::gelu_tanh, [](double x, double, double) { return gelu_tanh(x); }},
    {Kind::swish, [](double x, double alpha, double) { return x * sigmoid(alpha * x); }},
    {Kind::thresholded_relu, [](double x, double alpha, double) { return x <= alpha ? 0.0 : x; }},
    {Kind::shrink,
     [](double x, double reach, double bias) {
       return x < -reach ? x + bias : x > reach ? x - bias : 0.0;
     }},
    {Kind::sign, [](double x, double, double) { return x > 0.0   ? 1.0
                                                       : x < 0.0 ? -1.0
                                                                 : x; }},
    {Kind::floor, [](double x, double, double) { return std::floor(x); }},
    {Kind::ceil, [](double x, double, double) { return std::ceil(x); }},
    {Kind::round, [](double x, double, double) { return std::nearbyint(x); }},
    {Kind::is_zero, [](double x, double, double) { return held(x == 0.0); }},
    {Kind::is_nan, [](double x, double, double) { return held(x != x); }},
    {Kind::is_infinite, infinite},
    {Kind::sin, [](double x, double, double) { return std::sin(x); }},
    {Kind::cos, [](double x, double, double) { return std::cos(x); }},
    {Kind::tan, [](double x, double, double) { return std::tan(x); }},
    {Kind::asin, [](double x, double, double) { return std::asin(x); }},
    {Kind::acos, [](double x, double, double) { return std::acos(x); }},
    {Kind::atan, [](double x, double, double) { return std::atan(x); }},
    {Kind::sinh, [](double x, double, double) { return std::sinh(x); }},
    {Kind::cosh, [](double x, double, double) { return std::cosh(x); }},
    {Kind::asinh, [](double x, double, double) { return std::asinh(x); }},
    {Kind::acosh, [](double x, double, double) { return std::acosh(x); }},
    {Kind::atanh, [](double x, double, double) { return std::atanh(x); }},
};

bool decides(Kind kind) {
  return kind == Kind::is_zero || kind == Kind::is_nan || kind == Kind::is_infinite;
}

int64_t of_integer(Node& node, const Activation& activation, int64_t x) {
  const auto negated = static_cast<int64_t>(0 - static_cast<uint64_t>(x));  // wraps round
  switch (activation.kind) {
    case Kind::neg:
      return negated;
    case Kind::abs:
      return x < 0 ? negated : x;
    case Kind::sign:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    case Kind::relu:
      return std::max<int64_t>(x, 0);
    case Kind::is_zero:
      return x == 0 ? 1 : 0;
    case Kind::floor:
    case Kind::ceil:
    case Kind::round:
      return x;
    default:
      node.refuse("shingle does not compute it on integer constants");
  }
}

}  // namespace

Constant folded_unary(Node& node, const Activation& activation, const Constant& operand) {
  node.store().budget.charge(operand.count(), 8);
  std::vector<int64_t> integers;
  if (operand.integer) {
    for (const int64_t x : operand.integers) integers.push_back(of_integer(node, activation, x));
    return node.store().integers(operand.dims, std::move(integers));
  }
  std::vector<float> values;
  for (const NamedFunction& function : functions) {
    if (function.kind != activation.kind) continue;
    for (int64_t i = 0; i < operand.count(); ++i) {
      const double value = function.of(operand.at(i), static_cast<double>(activation.alpha),
                                       static_cast<double>(activation.beta));
      values.push_back(static_cast<float>(value));
    }
  }
  if (!decides(activation.kind)) return node.store().floats(operand.dims, std::move(values));
  for (const float value : values) integers.push_back(static_cast<int64_t>(value));
  return node.store().integers(operand.dims, std::move(integers));
}

}  // namespace shingle::onnx

#include "tests/networks/onnx_activation.hpp"

#include <utility>

namespace shingle::networks {

namespace {

// The operator that is the activation and nothing else.
const char* plain_name(Activation::Kind kind) {
  using Kind = Activation::Kind;
  static constexpr std::pair<Kind, const char*> names[] = {
      {Kind::relu, "Relu"},   {Kind::sigmoid, "Sigmoid"},
      {Kind::tanh, "Tanh"},   {Kind::softplus, "Softplus"},
      {Kind::exp, "Exp"},     {Kind::log, "Log"},
      {Kind::sqrt, "Sqrt"},   {Kind::abs, "Abs"},
      {Kind::neg, "Neg"},     {Kind::reciprocal, "Reciprocal"},
      {Kind::erf, "Erf"},     {Kind::sign, "Sign"},
      {Kind::floor, "Floor"}, {Kind::ceil, "Ceil"},
      {Kind::round, "Round"}, {Kind::sin, "Sin"},
      {Kind::cos, "Cos"},     {Kind::tan, "Tan"},
      {Kind::asin, "Asin"},   {Kind::acos, "Acos"},
      {Kind::atan, "Atan"},   {Kind::sinh, "Sinh"},
      {Kind::cosh, "Cosh"},   {Kind::asinh, "Asinh"},
      {Kind::acosh, "Acosh"}, {Kind::atanh, "Atanh"}};
  for (const auto& [each, name] : names)
    if (each == kind) return name;
  return "Identity";
}

}  // namespace

// Opset 13 has neither HardSwish (14) nor Mish (18), Gelu (20), Swish (24) nor Silu, so their
// definitions are written out.
std::string activated(OnnxGraph& graph, const std::string& x, const Activation& activation) {
  using Kind = Activation::Kind;
  const float alpha = activation.alpha, beta = activation.beta;
  const auto node = [&](const char* op) { return graph.node(op, {x}); };
  const auto times_x = [&](const std::string& gate) { return graph.node("Mul", {x, gate}); };
  const auto to_float = [&](const std::string& value) {
    return graph.node("Cast", {value}, {{"to", int64_t{1}}});
  };
  const auto scaled = [&](const std::string& value, float factor) {
    return graph.node("Mul", {value, graph.scalar(factor)});
  };
  const auto half_of_one_more = [&](const std::string& value) {
    return scaled(graph.node("Add", {value, graph.scalar(1.0F)}), 0.5F);
  };
  const auto through = [&](int64_t type) {  // and back to float, which the next node takes
    return graph.node("Cast", {graph.node("Cast", {x}, {{"to", type}})}, {{"to", int64_t{1}}});
  };
  switch (activation.kind) {
    case Kind::none:
      return x;
    case Kind::leaky_relu:
      return graph.node("LeakyRelu", {x}, {{"alpha", alpha}});
    case Kind::clip:
      return graph.node("Clip", {x, graph.scalar(alpha), graph.scalar(beta)});
    case Kind::silu:
      return times_x(node("Sigmoid"));
    case Kind::swish:
      return times_x(graph.node("Sigmoid", {scaled(x, alpha)}));
    case Kind::hard_sigmoid:
      return graph.node("HardSigmoid", {x}, {{"alpha", alpha}, {"beta", beta}});
    case Kind::hard_swish:
      return times_x(graph.node("HardSigmoid", {x}, {{"alpha", 1.0F / 6.0F}, {"beta", 0.5F}}));
    case Kind::elu:
      return graph.node("Elu", {x}, {{"alpha", alpha}});
    case Kind::thresholded_relu:
      return graph.node("ThresholdedRelu", {x}, {{"alpha", alpha}});
    case Kind::shrink:
      return graph.node("Shrink", {x}, {{"lambd", alpha}, {"bias", beta}});
    case Kind::mish:
      return times_x(graph.node("Tanh", {node("Softplus")}));
    case Kind::gelu:
      return times_x(half_of_one_more(graph.node("Erf", {scaled(x, 0.707106781F)})));
    case Kind::gelu_tanh: {
      const std::string cube = scaled(times_x(times_x(x)), 0.044715F);
      const std::string angle = scaled(graph.node("Add", {x, cube}), 0.797884561F);
      return times_x(half_of_one_more(graph.node("Tanh", {angle})));
    }
    case Kind::truncate:
      return to_float(graph.node("Cast", {x}, {{"to", int64_t{7}}}));
    case Kind::to_half:
      return through(10);
    case Kind::to_bfloat16:
      return through(16);
    case Kind::is_nonzero:
      return to_float(graph.node("Cast", {x}, {{"to", int64_t{9}}}));
    case Kind::is_zero:
      return to_float(graph.node("Equal", {x, graph.scalar(0.0F)}));
    case Kind::is_nan:
      return to_float(node("IsNaN"));
    case Kind::is_infinite:
      return to_float(graph.node("IsInf", {x},
                                 {{"detect_positive", int64_t{alpha != 0.0F}},
                                  {"detect_negative", int64_t{beta != 0.0F}}}));
    case Kind::relu:
    case Kind::sigmoid:
    case Kind::tanh:
    case Kind::softplus:
    case Kind::exp:
    case Kind::log:
    case Kind::sqrt:
    case Kind::abs:
    case Kind::neg:
    case Kind::reciprocal:
    case Kind::erf:
    case Kind::sign:
    case Kind::floor:
    case Kind::ceil:
    case Kind::round:
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
      break;
  }
  return node(plain_name(activation.kind));
}

}  // namespace shingle::networks

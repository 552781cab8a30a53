// Operators of one operand that treat every element in the same way.
#include <limits>

#include "partition/base/text.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

namespace {

using Kind = Activation::Kind;

struct Named {
  std::string_view op;
  Kind kind;
};
constexpr Named plain[] = {
    {"Relu", Kind::relu},   {"Sigmoid", Kind::sigmoid},
    {"Silu", Kind::silu},   {"Mish", Kind::mish},
    {"Tanh", Kind::tanh},   {"HardSwish", Kind::hard_swish},
    {"Exp", Kind::exp},     {"Softplus", Kind::softplus},
    {"Log", Kind::log},     {"Reciprocal", Kind::reciprocal},
    {"Sqrt", Kind::sqrt},   {"Abs", Kind::abs},
    {"Neg", Kind::neg},     {"Erf", Kind::erf},
    {"Sign", Kind::sign},   {"Floor", Kind::floor},
    {"Ceil", Kind::ceil},   {"Round", Kind::round},
    {"Not", Kind::is_zero}, {"IsNaN", Kind::is_nan},
    {"Sin", Kind::sin},     {"Cos", Kind::cos},
    {"Tan", Kind::tan},     {"Asin", Kind::asin},
    {"Acos", Kind::acos},   {"Atan", Kind::atan},
    {"Sinh", Kind::sinh},   {"Cosh", Kind::cosh},
    {"Asinh", Kind::asinh}, {"Acosh", Kind::acosh},
    {"Atanh", Kind::atanh},
};

// An activation whose alpha and beta are attributes of the operator.
struct Shaped {
  std::string_view op;
  Kind kind;
  std::string_view alpha;
  float usual_alpha;
  std::string_view beta = {};
  float usual_beta = 0.0F;
};
constexpr Shaped shaped[] = {
    {"LeakyRelu", Kind::leaky_relu, "alpha", 0.01F},
    {"HardSigmoid", Kind::hard_sigmoid, "alpha", 0.2F, "beta", 0.5F},
    {"Elu", Kind::elu, "alpha", 1.0F},
    {"ThresholdedRelu", Kind::thresholded_relu, "alpha", 1.0F},
    {"Shrink", Kind::shrink, "lambd", 0.5F, "bias", 0.0F},
};

Activation activation_of(const Node& node) {
  const std::string_view op = node.op();
  for (const Named& each : plain)
    if (each.op == op) return {.kind = each.kind};
  for (const Shaped& each : shaped) {
    if (each.op != op) continue;
    Activation activation{.kind = each.kind, .alpha = node.number(each.alpha, each.usual_alpha)};
    if (!each.beta.empty()) activation.beta = node.number(each.beta, each.usual_beta);
    return activation;
  }
  if (op == "Gelu") {
    const std::string_view form = node.text("approximate", "none");
    if (form == "none") return {.kind = Kind::gelu};
    if (form == "tanh") return {.kind = Kind::gelu_tanh};
    node.refuse("its approximation " + in_quotes(form) + " is not supported");
  }
  if (op == "Swish") {
    const float alpha = node.number("alpha", 1.0F);
    if (alpha == 1.0F) return {.kind = Kind::silu};
    return {.kind = Kind::swish, .alpha = alpha};
  }
  // IsInf
  const auto counts = [&](std::string_view name) {
    return node.integer(name, 1) != 0 ? 1.0F : 0.0F;
  };
  return {.kind = Kind::is_infinite,
          .alpha = counts("detect_positive"),
          .beta = counts("detect_negative")};
}

// The one value of all elements; none if they differ.
std::optional<float> uniform_value(Node& node, const Constant& constant) {
  node.store().budget.charge(constant.count());
  if (constant.count() == 0) return std::nullopt;
  for (int64_t i = 1; i < constant.count(); ++i) {
    if (constant.at(i) != constant.at(0)) return std::nullopt;
  }
  return static_cast<float>(constant.at(0));
}

}  // namespace

void unary(Node& node) {
  const Activation activation = activation_of(node);
  if (node.is_constant(0)) return node.set(folded_unary(node, activation, node.constant(0)));
  node.set(node.activate(node.box(0), activation));
}

namespace {

// A bound of integers that is left out is one that no integer is beyond.
int64_t whole_bound(Node& node, size_t input, int64_t otherwise) {
  if (!node.has(input)) return otherwise;
  const Constant& bound = node.constant(input);
  if (!bound.integer || bound.count() != 1) node.refuse("its bounds are not integers as its input");
  return bound.integers[0];
}

// Integers are compared as such: a float does not hold all of them.
Constant clipped(Node& node, const Constant& known) {
  const int64_t low = whole_bound(node, 1, INT64_MIN), high = whole_bound(node, 2, INT64_MAX);
  node.store().budget.charge(known.count(), 8);
  std::vector<int64_t> values;
  for (const int64_t x : known.integers) values.push_back(std::min(std::max(x, low), high));
  return node.store().integers(known.dims, std::move(values));
}

}  // namespace

void clip(Node& node) {
  const bool by_attribute = node.opset() < 11;
  if (node.is_constant(0) && node.constant(0).integer && !by_attribute)
    return node.set(clipped(node, node.constant(0)));
  const auto bound = [&](size_t input, std::string_view name, float otherwise) {
    if (by_attribute) return node.number(name, otherwise);
    return node.has(input) ? node.scalar(input) : otherwise;
  };
  const float infinity = std::numeric_limits<float>::infinity();
  float low = bound(1, "min", -infinity);
  const float high = bound(2, "max", infinity);
  if (low != low || high != high) node.refuse("its minimum or maximum is not a number");
  if (low > high) low = high;  // so says ONNX: the maximum is applied last
  const Activation activation{.kind = Kind::clip, .alpha = low, .beta = high};
  if (node.is_constant(0)) return node.set(folded_unary(node, activation, node.constant(0)));
  node.set(node.activate(node.box(0), activation));
}

void prelu(Node& node) {
  Value slope = node.value(1);
  if (Constant* known = std::get_if<Constant>(&slope)) {
    const std::optional<float> alpha = uniform_value(node, *known);
    if (alpha) {
      return node.set(node.activate(node.box(0), {.kind = Kind::leaky_relu, .alpha = *alpha}));
    }
    // Old files give one slope for each channel, without the spatial dims after it.
    const size_t rank = node.dims(0).size();
    if (node.opset() < 7 && known->dims.size() == 1 && rank > 2) {
      known->dims.resize(rank - 1, 1);
    }
  }
  const Box box = node.box(0);
  if (node.dims(1).size() > box.view.dims.size()) {
    node.refuse("its slope has more dimensions than its input");
  }
  node.set(combine(node, Binary::Kind::prelu, box, slope));
}

}  // namespace shingle::onnx

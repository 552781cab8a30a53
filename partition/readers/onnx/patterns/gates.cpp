#include "partition/readers/onnx/patterns/gates.hpp"

#include <cmath>
#include <numbers>

namespace shingle::onnx {

namespace {

constexpr int deepest = 4;  // arithmetic with scalars around a function

// before + times * f, where f is what `function` makes.
struct Gate {
  const NodeProto* function = nullptr;
  double before = 0.0, times = 1.0;
  double precision = 0.0;
};

// scale * x * gate
struct Product {
  std::string_view x;
  double scale = 1.0;
  Gate gate;
};

bool is_function(std::string_view op) {
  return op == "Erf" || op == "Tanh" || op == "Sigmoid" || op == "HardSigmoid" || op == "Clip";
}

std::optional<Gate> gate_of(const Expressions& graph, std::string_view name, int depth = deepest) {
  const NodeProto* node = graph.producer(name);
  if (node == nullptr || depth == 0 || graph.producer(name, node->op) == nullptr)
    return std::nullopt;
  if (is_function(node->op)) return Gate{.function = node};
  const bool sums = node->op == "Add" || node->op == "Sub", multiplies = node->op == "Mul";
  if ((!sums && !multiplies && node->op != "Div") || node->inputs.size() != 2) return std::nullopt;
  std::optional<Scalar> known = graph.scalar(node->inputs[1]);
  const bool first = !known && (node->op == "Add" || multiplies);
  if (first) known = graph.scalar(node->inputs[0]);
  if (!known) return std::nullopt;
  std::optional<Gate> gate = gate_of(graph, node->inputs[first ? 1 : 0], depth - 1);
  if (!gate) return std::nullopt;
  gate->precision = std::max(gate->precision, known->precision);
  if (sums) {
    gate->before += node->op == "Sub" ? -known->value : known->value;
    return gate;
  }
  if (!multiplies && known->value == 0.0) return std::nullopt;
  const double factor = multiplies ? known->value : 1.0 / known->value;
  gate->before *= factor;
  gate->times *= factor;
  return gate;
}

double number(const NodeProto& node, std::string_view name, double otherwise) {
  const Attribute* found = attribute_named(node.attributes, name);
  return found == nullptr ? otherwise : static_cast<double>(found->f);
}

// A bound of a Clip, an attribute in old files.
std::optional<double> bound(const Expressions& graph, const NodeProto& clip, size_t input,
                            std::string_view name) {
  if (clip.inputs.size() == 1) return number(clip, name, std::nan(""));
  if (input >= clip.inputs.size()) return std::nullopt;
  const std::optional<Scalar> known = graph.scalar(clip.inputs[input]);
  return known ? std::optional(known->value) : std::nullopt;
}

std::optional<Gated> gelu(const Product& product, std::string_view form) {
  const Gate& gate = product.gate;
  if (!is_near(product.scale * gate.before, 0.5, gate.precision) ||
      !is_near(product.scale * gate.times, 0.5, gate.precision))
    return std::nullopt;
  Attribute attribute;
  attribute.name = "approximate";
  attribute.s = form;
  return Gated{.op = "Gelu", .x = product.x, .attributes = {attribute}};
}

Gated swish(std::string_view x, double alpha, double precision) {
  if (is_near(alpha, 1.0, precision)) return {.op = "Silu", .x = x};
  Attribute attribute;
  attribute.name = "alpha";
  attribute.f = static_cast<float>(alpha);
  return {.op = "Swish", .x = x, .attributes = {attribute}};
}

bool is_mish(const Expressions& graph, const NodeProto& tanh, std::string_view x) {
  const NodeProto* inner = graph.producer(tanh.inputs[0], "Softplus");
  return inner != nullptr && inner->inputs[0] == x;
}

// (x + 3) within 0 and 6, in sixths; or the same after the division.
bool is_hard(const Expressions& graph, const Product& product, const Polynomial& inner) {
  const NodeProto& function = *product.gate.function;
  const double times = product.scale * product.gate.times;
  if (function.op == "HardSigmoid")
    return is_near(inner, {0.0, 1.0, 0.0, 0.0}) && times == 1.0 &&
           is_near(number(function, "alpha", 0.2), 1.0 / 6.0, 1e-5) &&
           number(function, "beta", 0.5) == 0.5;
  const auto low = bound(graph, function, 1, "min"), high = bound(graph, function, 2, "max");
  if (!low || !high || *low != 0.0) return false;
  const double part = *high / 6.0;  // of the clipped value, in sixths
  return (*high == 6.0 || *high == 1.0) && is_near(times * *high, 1.0, product.gate.precision) &&
         is_near(inner, {3.0 * part, part, 0.0, 0.0});
}

std::optional<Gated> activation_of(const Expressions& graph, const Product& product) {
  const NodeProto& function = *product.gate.function;
  const std::string_view x = product.x;
  const double times = product.scale * product.gate.times;
  const bool plain = product.gate.before == 0.0, once = is_near(times, 1.0, product.gate.precision);
  if (function.op == "Tanh" && plain && once && is_mish(graph, function, x))
    return Gated{.op = "Mish", .x = x};
  const std::optional<Polynomial> inner = graph.polynomial(function.inputs[0], x);
  if (!inner) return std::nullopt;
  const double root = std::sqrt(2.0 / std::numbers::pi);
  if (function.op == "Erf" && is_near(*inner, {0.0, std::sqrt(0.5), 0.0, 0.0}))
    return gelu(product, "none");
  if (function.op == "Tanh" && is_near(*inner, {0.0, root, 0.0, root * 0.044715}))
    return gelu(product, "tanh");
  const bool linear = inner->c[0] == 0.0 && inner->c[2] == 0.0 && inner->c[3] == 0.0;
  if (function.op == "Sigmoid" && plain && once && linear)
    return swish(x, inner->c[1], inner->precision);
  const bool hard = function.op == "HardSigmoid" || function.op == "Clip";
  if (hard && plain && is_hard(graph, product, *inner)) return Gated{.op = "HardSwish", .x = x};
  return std::nullopt;
}

// `rest` times a gate times `outer`: what is gated may be `rest`, or what that is a multiple of.
std::optional<Gated> with_gate(const Expressions& graph, std::string_view rest, Gate gate,
                               const Scaled& outer) {
  const Scaled inside = graph.scaled(rest);
  gate.precision = std::max({gate.precision, outer.precision, inside.precision});
  if (const auto found = activation_of(graph, {.x = rest, .scale = outer.scale, .gate = gate}))
    return found;
  if (inside.inner == rest) return std::nullopt;
  return activation_of(graph,
                       {.x = inside.inner, .scale = outer.scale * inside.scale, .gate = gate});
}

// x / (1 + Exp(-x))
std::optional<Gated> quotient(const Expressions& graph, const NodeProto& node) {
  const NodeProto* sum = graph.producer(node.inputs[1], "Add");
  if (sum == nullptr || sum->inputs.size() != 2) return std::nullopt;
  for (const size_t i : {0U, 1U}) {
    const NodeProto* raised = graph.producer(sum->inputs[i], "Exp");
    const std::optional<Scalar> one = graph.scalar(sum->inputs[1 - i]);
    if (raised == nullptr || !one || one->value != 1.0) continue;
    const auto inner = graph.polynomial(raised->inputs[0], node.inputs[0]);
    if (inner && is_near(*inner, {0.0, -1.0, 0.0, 0.0}))
      return Gated{.op = "Silu", .x = node.inputs[0]};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Gated> gated(const Expressions& graph, const NodeProto& node) {
  if (node.inputs.size() != 2 || node.outputs.size() != 1) return std::nullopt;
  if (node.op == "Div")
    if (const auto found = quotient(graph, node)) return found;
  const Scaled outer = graph.scaled(node.outputs[0]);
  const NodeProto* product = graph.producer(outer.inner, "Mul");
  if (product == nullptr || product->inputs.size() != 2) return std::nullopt;
  for (const size_t i : {0U, 1U}) {
    const std::optional<Gate> gate = gate_of(graph, product->inputs[1 - i]);
    if (!gate) continue;
    if (const auto found = with_gate(graph, product->inputs[i], *gate, outer)) return found;
  }
  return std::nullopt;
}

}  // namespace shingle::onnx

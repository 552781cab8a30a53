#include "partition/readers/onnx/patterns/expressions.hpp"

#include <algorithm>
#include <cmath>

#include "partition/readers/onnx/element_types.hpp"
#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

namespace {

// Nodes from a value to x or a constant; each may have two operands, so this bounds the time.
constexpr int deepest = 6;

// Exporters write five digits and more.
constexpr double of_float = 1e-5, of_half = 0x1p-11, of_bfloat16 = 0x1p-8, nothing = 1e-6;

double precision_of(DataType type) {
  if (type == DataType::f16) return of_half;
  return type == DataType::bf16 ? of_bfloat16 : of_float;
}

std::optional<Scalar> element_of(const TensorProto& tensor) {
  const auto type = static_cast<DataType>(tensor.data_type);
  const bool one = std::ranges::all_of(tensor.dims, [](int64_t dim) { return dim == 1; });
  if (!one || tensor.dims.size() > 1 || tensor.external || !holds_floats(type)) return std::nullopt;
  const size_t bytes = type == DataType::f64 ? 8 : type == DataType::f32 ? 4 : 2;
  if (tensor.raw && tensor.raw->size() != bytes) return std::nullopt;
  const auto values = floats_of(tensor, tensor.raw, 1);
  if (!values) return std::nullopt;
  return Scalar{.value = static_cast<double>((*values)[0]), .precision = precision_of(type)};
}

Polynomial constant(const Scalar& scalar) {
  return {.c = {scalar.value, 0.0, 0.0, 0.0}, .precision = scalar.precision};
}

bool is_constant(const Polynomial& p) { return p.c[1] == 0.0 && p.c[2] == 0.0 && p.c[3] == 0.0; }

Polynomial sum(Polynomial a, const Polynomial& b, double sign) {
  for (size_t i = 0; i < a.c.size(); ++i) a.c[i] += sign * b.c[i];
  a.precision = std::max(a.precision, b.precision);
  return a;
}

std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) {
  Polynomial result{.c = {}, .precision = std::max(a.precision, b.precision)};
  for (size_t i = 0; i < a.c.size(); ++i) {
    for (size_t j = 0; j < b.c.size(); ++j) {
      const double term = a.c[i] * b.c[j];
      if (term == 0.0) continue;
      if (i + j >= result.c.size()) return std::nullopt;
      result.c[i + j] += term;
    }
  }
  return result;
}

std::optional<Polynomial> power(const Polynomial& base, const Polynomial& exponent) {
  const double times = exponent.c[0];
  if (!is_constant(exponent) || (times != 2.0 && times != 3.0)) return std::nullopt;
  const std::optional<Polynomial> square = product(base, base);
  return times == 2.0 || !square ? square : product(*square, base);
}

}  // namespace

bool is_near(double value, double wanted, double precision) {
  return std::abs(value - wanted) <= std::max(precision * std::abs(wanted), nothing);
}

bool is_near(const Polynomial& polynomial, const std::array<double, 4>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!is_near(polynomial.c[i], wanted[i], polynomial.precision)) return false;
  return true;
}

Expressions::Expressions(const Graph& graph) : graph_(graph) {
  for (const TensorProto& tensor : graph.initializers)
    initializers_.try_emplace(tensor.name, &tensor);
  for (const ValueInfo& input : graph.inputs)
    if (!initializers_.contains(input.name)) dependent_.insert(input.name);
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    for (const std::string_view output : graph.nodes[node].outputs)
      if (!output.empty()) producers_.try_emplace(output, node);
    for (const std::string_view input : graph.nodes[node].inputs) ++uses_[input];
    if (is_dependent(graph.nodes[node]))
      dependent_.insert(graph.nodes[node].outputs.begin(), graph.nodes[node].outputs.end());
  }
  for (const ValueInfo& output : graph.outputs) ++uses_[output.name];
}

bool Expressions::is_dependent(const NodeProto& node) const {
  return node.op != "Shape" && node.op != "Size" &&
         std::ranges::any_of(node.inputs,
                             [&](std::string_view input) { return dependent_.contains(input); });
}

const NodeProto* Expressions::producer(std::string_view name) const {
  const auto found = producers_.find(name);
  return found == producers_.end() ? nullptr : &graph_.nodes[found->second];
}

const NodeProto* Expressions::producer(std::string_view name, std::string_view op) const {
  const NodeProto* node = producer(name);
  const bool is_it = node != nullptr && node->op == op && is_of_onnx(*node) &&
                     !node->inputs.empty() && node->outputs[0] == name;
  return is_it ? node : nullptr;
}

size_t Expressions::index_of(const NodeProto& node) const {
  return static_cast<size_t>(&node - graph_.nodes.data());
}

int64_t Expressions::uses(std::string_view name) const {
  const auto found = uses_.find(name);
  return found == uses_.end() ? 0 : found->second;
}

std::optional<Scalar> Expressions::scalar(std::string_view name) const {
  return scalar(name, deepest);
}

std::optional<Scalar> Expressions::scalar(std::string_view name, int depth) const {
  const auto initializer = initializers_.find(name);
  if (initializer != initializers_.end()) return element_of(*initializer->second);
  const NodeProto* node = producer(name);
  if (node == nullptr || !is_of_onnx(*node) || depth == 0) return std::nullopt;
  return scalar_of(*node, depth - 1);
}

std::optional<Scalar> Expressions::scalar_of(const NodeProto& node, int depth) const {
  if (node.op == "Constant") {
    const Attribute* tensor = attribute_named(node.attributes, "value");
    const Attribute* number = attribute_named(node.attributes, "value_float");
    if (tensor != nullptr && tensor->tensor) return element_of(*tensor->tensor);
    if (number == nullptr) return std::nullopt;
    return Scalar{.value = static_cast<double>(number->f), .precision = of_float};
  }
  const bool same = node.op == "Identity" || node.op == "Cast";
  if ((!same && node.op != "Sqrt") || node.inputs.size() != 1) return std::nullopt;
  std::optional<Scalar> operand = scalar(node.inputs[0], depth);
  if (!operand) return std::nullopt;
  if (node.op == "Sqrt") operand->value = std::sqrt(operand->value);
  const Attribute* to = node.op == "Cast" ? attribute_named(node.attributes, "to") : nullptr;
  if (to != nullptr)
    operand->precision = std::max(operand->precision, precision_of(static_cast<DataType>(to->i)));
  return operand;
}

std::optional<Polynomial> Expressions::polynomial(std::string_view name, std::string_view x) const {
  return polynomial(name, x, deepest);
}

std::optional<Polynomial> Expressions::polynomial(std::string_view name, std::string_view x,
                                                  int depth) const {
  if (name == x) return Polynomial{.c = {0.0, 1.0, 0.0, 0.0}};
  if (const std::optional<Scalar> known = scalar(name)) return constant(*known);
  const NodeProto* node = producer(name);
  if (node == nullptr || !is_of_onnx(*node) || depth == 0) return std::nullopt;
  return polynomial_of(*node, x, depth - 1);
}

std::optional<Polynomial> Expressions::polynomial_of(const NodeProto& node, std::string_view x,
                                                     int depth) const {
  const bool negated = node.op == "Neg" && node.inputs.size() == 1;
  if (!negated && node.inputs.size() != 2) return std::nullopt;
  const std::optional<Polynomial> first = polynomial(node.inputs[0], x, depth);
  if (!first) return std::nullopt;
  if (negated) return sum(Polynomial{}, *first, -1.0);
  const std::optional<Polynomial> second = polynomial(node.inputs[1], x, depth);
  if (!second) return std::nullopt;
  if (node.op == "Add") return sum(*first, *second, 1.0);
  if (node.op == "Sub") return sum(*first, *second, -1.0);
  if (node.op == "Mul") return product(*first, *second);
  if (node.op == "Pow") return power(*first, *second);
  if (node.op != "Div" || !is_constant(*second) || second->c[0] == 0.0) return std::nullopt;
  return product(*first, constant({1.0 / second->c[0], second->precision}));
}

Scaled Expressions::scaled(std::string_view name) const {
  Scaled result{.inner = name};
  for (int depth = 0; depth < deepest; ++depth) {
    const NodeProto* node = producer(result.inner);
    const bool times = node != nullptr && node->op == "Mul",
               over = node != nullptr && node->op == "Div";
    if ((!times && !over) || !is_of_onnx(*node) || node->inputs.size() != 2) return result;
    std::optional<Scalar> factor = scalar(node->inputs[1]);
    std::string_view inner = node->inputs[0];
    if (!factor && times) {
      factor = scalar(node->inputs[0]);
      inner = node->inputs[1];
    }
    if (!factor || (over && factor->value == 0.0)) return result;
    result.inner = inner;
    result.scale *= over ? 1.0 / factor->value : factor->value;
    result.precision = std::max(result.precision, factor->precision);
  }
  return result;
}

}  // namespace shingle::onnx

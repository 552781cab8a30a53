// Add, Sub, Mul, Div, Mod, Pow, Max, Min and Sum, of floats and of integers.
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/patterns/chains.hpp"

namespace shingle::onnx {

namespace {

Binary::Kind kind_of(const Node& node) {
  const std::string_view op = node.op();
  if (op == "Mod") {
    const bool of_dividend = node.integer("fmod", 0) != 0;
    return of_dividend ? Binary::Kind::remainder : Binary::Kind::modulo;
  }
  if (op == "Sub") return Binary::Kind::sub;
  if (op == "Mul") return Binary::Kind::mul;
  if (op == "Div") return Binary::Kind::div;
  if (op == "Max") return Binary::Kind::max;
  if (op == "Min") return Binary::Kind::min;
  if (op == "Pow") return Binary::Kind::pow;
  return Binary::Kind::add;  // Add, Sum
}

Value combined(Node& node, const Value& a, const Value& b) {
  const Constant *left = std::get_if<Constant>(&a), *right = std::get_if<Constant>(&b);
  const std::string_view op = node.op() == "Sum" ? "Add" : node.op();
  if (left != nullptr && right != nullptr) return folded_binary(node, op, *left, *right);
  const Box result = combine(node, kind_of(node), a, b);
  // A quotient of integers is rounded towards 0. The float nearest to it never lies beyond the
  // integer between, as long as both are exact as floats.
  const bool whole = node.numbers(0) != Numbers::real;
  return op == "Div" && whole ? node.activate(result, {.kind = Activation::Kind::truncate})
                              : result;
}

// x^2 and x^1 need no power.
std::optional<Box> small_power(Node& node, const Value& base, const Value& exponent) {
  const Box* box = std::get_if<Box>(&base);
  const Constant* known = std::get_if<Constant>(&exponent);
  if (box == nullptr || known == nullptr || known->count() != 1) return std::nullopt;
  if (known->dims.size() > box->view.dims.size()) return std::nullopt;
  if (known->at(0) == 1.0) return *box;
  if (known->at(0) != 2.0) return std::nullopt;
  return combine(node, Binary::Kind::mul, *box, *box);
}

}  // namespace

void binary(Node& node) {
  const Value first = node.value(0), second = aligned_operand(node);
  const Binary::Kind kind = kind_of(node);
  if (kind == Binary::Kind::pow)
    if (const auto box = small_power(node, first, second)) return node.set(*box);
  const bool known =
      std::holds_alternative<Constant>(first) && std::holds_alternative<Constant>(second);
  const bool real = node.numbers(0) == Numbers::real;
  node.set(real && !known ? Value(arithmetic(node, kind, first, second))
                          : combined(node, first, second));
}

void variadic(Node& node) {
  Value result = node.value(0);
  for (size_t input = 1; input < node.inputs(); ++input) {
    result = combined(node, result, node.value(input));
  }
  node.set(std::move(result));
}

}  // namespace shingle::onnx

// Add, Sub, Mul, Div, Pow, Max, Min, Sum, and operators that are computed on constants only.
#include "partition/readers/onnx/affine.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

namespace {

Binary::Kind kind_of(std::string_view op) {
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
  return combine(node, kind_of(op), a, b);
}

// Before opset 7, the second operand is aligned at dimension `axis` of the first.
Value aligned_operand(Node& node) {
  const Value& b = node.value(1);
  if (node.opset() >= 7 || !node.has_attribute("axis")) return b;
  const size_t rank = node.dims(0).size(), operand_rank = node.dims(1).size();
  const size_t axis = node.axis(node.integer("axis", 0), rank);
  if (axis + operand_rank > rank) {
    node.refuse("its operands " + text_of(node.dims(0)) + " and " + text_of(node.dims(1)) +
                " do not fit together");
  }
  const size_t behind = rank - axis - operand_rank;
  if (const Constant* known = std::get_if<Constant>(&b)) {
    Constant longer = *known;
    longer.dims.resize(operand_rank + behind, 1);
    return longer;
  }
  Box longer = std::get<Box>(b);
  longer.view.dims.resize(operand_rank + behind);
  return longer;
}

}  // namespace

void binary(Node& node) {
  const Value second = aligned_operand(node);
  if (const auto box = folded_arithmetic(node, kind_of(node.op()), node.value(0), second))
    return node.set(*box);
  node.set(combined(node, node.value(0), second));
}

void variadic(Node& node) {
  Value result = node.value(0);
  for (size_t input = 1; input < node.inputs(); ++input) {
    result = combined(node, result, node.value(input));
  }
  node.set(std::move(result));
}

void fold_only(Node& node) {
  if (!node.all_constant()) {
    node.refuse("shingle computes it on constants only, and this one depends on the model's input");
  }
  if (node.op() == "Where") return node.set(folded_where(node));
  if (node.inputs() == 1) return node.set(folded_unary(node, node.constant(0)));
  node.set(folded_binary(node, node.op(), node.constant(0), node.constant(1)));
}

}  // namespace shingle::onnx

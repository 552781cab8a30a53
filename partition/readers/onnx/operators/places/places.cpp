#include "partition/readers/onnx/operators/places/places.hpp"

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/selection/selection.hpp"

namespace shingle::onnx {

namespace {

Binary::Kind kind_of(std::string_view op) {
  if (op == "Sub") return Binary::Kind::sub;
  if (op == "Mul") return Binary::Kind::mul;
  if (op == "Max") return Binary::Kind::max;
  if (op == "Min") return Binary::Kind::min;
  return op == "LessOrEqual" ? Binary::Kind::less_or_equal : Binary::Kind::add;
}

}  // namespace

Value computed(Node& node, std::string_view op, const Value& a, const Value& b) {
  const Constant *left = std::get_if<Constant>(&a), *right = std::get_if<Constant>(&b);
  if (left != nullptr && right != nullptr) return folded_binary(node, op, *left, *right);
  return combine(node, kind_of(op), a, b);
}

Value number(Node& node, float value) { return node.store().floats({}, {value}); }

Value picked(Node& node, const Value& value, size_t dim, const std::vector<int64_t>& indices) {
  const Constant* known = std::get_if<Constant>(&value);
  if (known == nullptr) return gathered_box(node, std::get<Box>(value), dim, indices);
  return gathered(node, *known, dim, node.store().integers({std::ssize(indices)}, indices));
}

}  // namespace shingle::onnx

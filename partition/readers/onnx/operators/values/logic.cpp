// Comparisons, logic and choices between values. What they decide is 1 or 0, a float as all others.
#include "partition/readers/onnx/operators/values/logic.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

namespace {

using Kind = Binary::Kind;

// `value` where the condition holds (keep) or where it does not (drop), otherwise 0.
Value masked(Node& node, Kind kind, const Value& value, const Value& condition) {
  const Constant *known = std::get_if<Constant>(&value), *given = std::get_if<Constant>(&condition);
  if (known == nullptr || given == nullptr) return combine(node, kind, value, condition);
  const Constant zero =
      known->integer ? node.store().integers({}, {0}) : node.store().floats({}, {0.0F});
  return kind == Kind::keep ? folded_where(node, *given, *known, zero)
                            : folded_where(node, *given, zero, *known);
}

// One number that is 0: masked, it is 0 everywhere.
bool is_zero(const Value& value) {
  const Constant* known = std::get_if<Constant>(&value);
  return known != nullptr && known->count() == 1 && known->at(0) == 0.0;
}

size_t rank_of(const Value& value) {
  const Constant* known = std::get_if<Constant>(&value);
  return known != nullptr ? known->dims.size() : sizes(std::get<Box>(value).view).size();
}

Box compared(Node& node, std::string_view op, const Value& a, const Value& b) {
  if (op == "Less") return combine(node, Kind::less, a, b);
  if (op == "Greater") return combine(node, Kind::less, b, a);
  if (op == "LessOrEqual") return combine(node, Kind::less_or_equal, a, b);
  if (op == "GreaterOrEqual") return combine(node, Kind::less_or_equal, b, a);
  if (op == "And") return combine(node, Kind::min, a, b);
  if (op == "Or") return combine(node, Kind::max, a, b);
  const Box equal = combine(node, Kind::equal, a, b);
  return op == "Xor" ? node.activate(equal, {.kind = Activation::Kind::is_zero}) : equal;
}

}  // namespace

// Each side is masked before the sum: an infinity that is not chosen would make NaN of a product.
Value either(Node& node, const Value& condition, const Value& yes, const Value& no) {
  // A zero operand is left out, unless the result has its rank.
  const size_t rank = rank_of(condition);
  if (is_zero(no) && rank_of(no) <= std::max(rank, rank_of(yes)))
    return masked(node, Kind::keep, yes, condition);
  if (is_zero(yes) && rank_of(yes) <= std::max(rank, rank_of(no)))
    return masked(node, Kind::drop, no, condition);
  return combine(node, Kind::add, masked(node, Kind::keep, yes, condition),
                 masked(node, Kind::drop, no, condition));
}

void compare(Node& node) {
  const Value second = aligned_operand(node);
  if (node.all_constant()) {
    return node.set(folded_binary(node, node.op(), node.constant(0), std::get<Constant>(second)));
  }
  node.set(compared(node, node.op(), node.value(0), second));
}

void where(Node& node) {
  if (node.all_constant()) {
    return node.set(folded_where(node, node.constant(0), node.constant(1), node.constant(2)));
  }
  node.set(either(node, node.value(0), node.value(1), node.value(2)));
}

}  // namespace shingle::onnx

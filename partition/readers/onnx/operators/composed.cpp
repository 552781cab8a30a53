// Element-wise operators that are composed of others.
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

namespace {

using Kind = Activation::Kind;

}  // namespace

// gamma * elu(x)
void selu(Node& node) {
  const float alpha = node.number("alpha", 1.67326319F), gamma = node.number("gamma", 1.05070102F);
  const Box elu = node.activate(node.box(0), {.kind = Kind::elu, .alpha = alpha});
  node.set(combine(node, Binary::Kind::mul, elu, gamma));
}

// x above zero, alpha * (exp(x/alpha) - 1) below: alpha times the elu of x/alpha.
void celu(Node& node) {
  const float alpha = node.number("alpha", 1.0F);
  if (alpha == 0.0F) node.refuse("its alpha is 0");
  const Box shrunk = combine(node, Binary::Kind::div, node.box(0), alpha);
  const Box elu = node.activate(shrunk, {.kind = Kind::elu, .alpha = 1.0F});
  node.set(combine(node, Binary::Kind::mul, elu, alpha));
}

// x / (1 + |x|)
void softsign(Node& node) {
  Box box = node.box(0);
  box.sole = false;  // it is read twice
  const Box size = node.activate(box, {.kind = Kind::abs});
  node.set(combine(node, Binary::Kind::div, box, combine(node, Binary::Kind::add, size, 1.0F)));
}

void mean(Node& node) {
  const auto count = static_cast<float>(node.inputs());
  Value sum = node.value(0);
  for (size_t input = 1; input < node.inputs(); ++input) {
    if (std::holds_alternative<Constant>(sum) && node.is_constant(input)) {
      sum = folded_binary(node, "Add", std::get<Constant>(sum), node.constant(input));
    } else {
      sum = combine(node, Binary::Kind::add, sum, node.value(input));
    }
  }
  const Constant divisor = node.store().floats({}, {count});
  if (const Constant* known = std::get_if<Constant>(&sum)) {
    return node.set(folded_binary(node, "Div", *known, divisor));
  }
  node.set(combine(node, Binary::Kind::div, sum, divisor));
}

}  // namespace shingle::onnx

// Operators of one operand that treat every element in the same way.
#include <limits>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

namespace {

using Kind = Activation::Kind;

Activation activation_of(const Node& node) {
  const std::string_view op = node.op();
  if (op == "Relu") return {.kind = Kind::relu};
  if (op == "LeakyRelu") {
    return {.kind = Kind::leaky_relu, .alpha = node.number("alpha", 0.01F)};
  }
  if (op == "Sigmoid") return {.kind = Kind::sigmoid};
  if (op == "Silu") return {.kind = Kind::silu};
  if (op == "Mish") return {.kind = Kind::mish};
  if (op == "Tanh") return {.kind = Kind::tanh};
  if (op == "HardSigmoid") {
    return {.kind = Kind::hard_sigmoid,
            .alpha = node.number("alpha", 0.2F),
            .beta = node.number("beta", 0.5F)};
  }
  if (op == "HardSwish") return {.kind = Kind::hard_swish};
  if (op == "Elu") return {.kind = Kind::elu, .alpha = node.number("alpha", 1.0F)};
  if (op == "Softplus") return {.kind = Kind::softplus};
  if (op == "Exp") return {.kind = Kind::exp};
  if (op == "Log") return {.kind = Kind::log};
  if (op == "Sqrt") return {.kind = Kind::sqrt};
  if (op == "Abs") return {.kind = Kind::abs};
  if (op == "Neg") return {.kind = Kind::neg};
  if (op == "Erf") return {.kind = Kind::erf};
  return {.kind = Kind::reciprocal};
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
  if (node.is_constant(0)) return node.set(folded_unary(node, node.constant(0)));
  node.set(node.activate(node.box(0), activation_of(node)));
}

void clip(Node& node) {
  const bool by_attribute = node.opset() < 11;
  const auto bound = [&](size_t input, std::string_view name, float otherwise) {
    if (by_attribute) return node.number(name, otherwise);
    return node.has(input) ? node.scalar(input) : otherwise;
  };
  const float infinity = std::numeric_limits<float>::infinity();
  const float low = bound(1, "min", -infinity), high = bound(2, "max", infinity);
  if (!(low <= high)) node.refuse("its minimum is above its maximum");
  node.set(node.activate(node.box(0), {.kind = Kind::clip, .alpha = low, .beta = high}));
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

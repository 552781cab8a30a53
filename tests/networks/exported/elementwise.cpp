// Functions of single elements, as exporters write them.
#include <cassert>

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks {

namespace {

Dims broadcast(const Dims& a, const Dims& b) {
  Dims dims = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  const size_t skipped = dims.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t& dim = dims[skipped + i];
    assert(dim == shorter[i] || dim == 1 || shorter[i] == 1);
    if (dim == 1) dim = shorter[i];
  }
  return dims;
}

}  // namespace

Value unary(Exporter& to, std::string_view op, const Value& x) {
  return to.node(op, {x}, {}, x.dims);
}

Value binary(Exporter& to, std::string_view op, const Value& a, const Value& b) {
  return to.node(op, {a, b}, {}, broadcast(a.dims, b.dims));
}

Value add(Exporter& to, const Value& a, const Value& b) { return binary(to, "Add", a, b); }
Value mul(Exporter& to, const Value& a, const Value& b) { return binary(to, "Mul", a, b); }
Value relu(Exporter& to, const Value& x) { return unary(to, "Relu", x); }

Value relu6(Exporter& to, const Value& x) {
  return to.node("Clip", {x, to.scalar(0.0F), to.scalar(6.0F)}, {}, x.dims);
}

Value silu(Exporter& to, const Value& x) { return mul(to, x, unary(to, "Sigmoid", x)); }

Value hard_sigmoid(Exporter& to, const Value& x) {
  return to.node("HardSigmoid", {x}, {{"alpha", 1.0F / 6.0F}}, x.dims);
}

Value hard_swish(Exporter& to, const Value& x) {
  if (to.opset() >= 14) return unary(to, "HardSwish", x);
  return mul(to, x, hard_sigmoid(to, x));
}

Value gelu(Exporter& to, const Value& x) {
  if (to.opset() >= 20) return to.node("Gelu", {x}, {{"approximate", "none"}}, x.dims);
  const Value error = unary(to, "Erf", binary(to, "Div", x, to.scalar(1.41421356F)));
  return mul(to, mul(to, x, add(to, error, to.scalar(1.0F))), to.scalar(0.5F));
}

Value cast_to_float(Exporter& to, const Value& x) {
  constexpr int64_t f32_type = 1;  // of onnx.proto3
  return to.node("Cast", {x}, {{"to", f32_type}}, x.dims);
}

Value softmax(Exporter& to, const Value& x, int64_t axis) {
  return to.node("Softmax", {x}, {{"axis", axis}}, x.dims);
}

}  // namespace shingle::networks

// Arithmetic on constants: the computations of shapes, scales and grids that exporters leave in
// files.
#include <cmath>

#include "partition/readers/onnx/operators/broadcast.hpp"

namespace shingle::onnx {

namespace {

// Calls visit(i, element of a, element of b) for each element of the broadcast result.
template <class Visit>
void each_pair(const Dims& out, const Dims& a, const Dims& b, int64_t count, Visit visit) {
  const std::vector<int64_t> a_strides = broadcast_strides(a, out);
  const std::vector<int64_t> b_strides = broadcast_strides(b, out);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, in_a = 0, in_b = 0;
    for (size_t dim = out.size(); dim-- > 0;) {
      in_a += rest % out[dim] * a_strides[dim];
      in_b += rest % out[dim] * b_strides[dim];
      rest /= out[dim];
    }
    visit(static_cast<size_t>(i), in_a, in_b);
  }
}

// Integers wrap round, as in the programs that usually execute such files.
int64_t wrapped(std::string_view op, int64_t a, int64_t b) {
  const auto left = static_cast<uint64_t>(a), right = static_cast<uint64_t>(b);
  if (op == "Add") return static_cast<int64_t>(left + right);
  if (op == "Sub") return static_cast<int64_t>(left - right);
  return static_cast<int64_t>(left * right);
}

int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : 0;
  int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result = wrapped("Mul", result, base);
    base = wrapped("Mul", base, base);
  }
  return result;
}

int64_t integer_result(Node& node, std::string_view op, int64_t a, int64_t b) {
  if (op == "Add" || op == "Sub" || op == "Mul") return wrapped(op, a, b);
  if (op == "Max") return std::max(a, b);
  if (op == "Min") return std::min(a, b);
  if (op == "Pow") return power(a, b);
  if (op != "Div" && op != "Mod") node.refuse("shingle does not compute it on integer constants");
  if (b == 0) node.refuse("it divides a constant by zero");
  if (b == -1) return op == "Div" ? wrapped("Sub", 0, a) : 0;
  if (op == "Div") return a / b;
  const int64_t rest = a % b;
  if (node.integer("fmod", 0) != 0) return rest;  // otherwise the result has the divisor's sign
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

float float_result(Node& node, std::string_view op, float a, float b) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return a / b;
  if (op == "Max") return std::max(a, b);
  if (op == "Min") return std::min(a, b);
  if (op == "Pow") return std::pow(a, b);
  if (op == "Mod") {
    const float rest = std::fmod(a, b);
    const bool other_sign = rest != 0.0F && (rest < 0.0F) != (b < 0.0F);
    return other_sign && node.integer("fmod", 0) == 0 ? rest + b : rest;
  }
  node.refuse("shingle does not compute it on constants");
}

bool compares(std::string_view op) {
  return op == "Equal" || op == "Less" || op == "Greater" || op == "LessOrEqual" ||
         op == "GreaterOrEqual" || op == "And" || op == "Or" || op == "Xor";
}

bool comparison(std::string_view op, double a, double b) {
  if (op == "Equal") return a == b;
  if (op == "Less") return a < b;
  if (op == "Greater") return a > b;
  if (op == "LessOrEqual") return a <= b;
  if (op == "GreaterOrEqual") return a >= b;
  if (op == "And") return a != 0 && b != 0;
  if (op == "Xor") return (a != 0) != (b != 0);
  return a != 0 || b != 0;
}

}  // namespace

Constant folded_binary(Node& node, std::string_view op, const Constant& a, const Constant& b) {
  const Dims out = broadcast(node, a.dims, b.dims);
  const int64_t count = checked_elements(out, node.store().limits);
  const bool yields_integers = compares(op) || (a.integer && b.integer);
  node.store().budget.charge(count, yields_integers ? 8 : 4);
  if (!yields_integers) {
    std::vector<float> values(static_cast<size_t>(count));
    each_pair(out, a.dims, b.dims, count, [&](size_t i, int64_t in_a, int64_t in_b) {
      values[i] =
          float_result(node, op, static_cast<float>(a.at(in_a)), static_cast<float>(b.at(in_b)));
    });
    return node.store().floats(out, std::move(values));
  }
  std::vector<int64_t> values(static_cast<size_t>(count));
  each_pair(out, a.dims, b.dims, count, [&](size_t i, int64_t in_a, int64_t in_b) {
    values[i] = compares(op) ? (comparison(op, a.at(in_a), b.at(in_b)) ? 1 : 0)
                             : integer_result(node, op, a.integers[static_cast<size_t>(in_a)],
                                              b.integers[static_cast<size_t>(in_b)]);
  });
  return node.store().integers(out, std::move(values));
}

Constant folded_where(Node& node, const Constant& condition, const Constant& yes,
                      const Constant& no) {
  const Dims out = broadcast(node, broadcast(node, condition.dims, yes.dims), no.dims);
  const int64_t count = checked_elements(out, node.store().limits);
  const bool yields_integers = yes.integer && no.integer;
  node.store().budget.charge(count, yields_integers ? 9 : 5);
  std::vector<bool> holds(static_cast<size_t>(count));
  each_pair(out, condition.dims, {}, count,
            [&](size_t i, int64_t at, int64_t) { holds[i] = condition.at(at) != 0; });
  if (yields_integers) {
    std::vector<int64_t> values(static_cast<size_t>(count));
    each_pair(out, yes.dims, no.dims, count, [&](size_t i, int64_t in_yes, int64_t in_no) {
      values[i] = holds[i] ? yes.integers[static_cast<size_t>(in_yes)]
                           : no.integers[static_cast<size_t>(in_no)];
    });
    return node.store().integers(out, std::move(values));
  }
  std::vector<float> values(static_cast<size_t>(count));
  each_pair(out, yes.dims, no.dims, count, [&](size_t i, int64_t in_yes, int64_t in_no) {
    values[i] = static_cast<float>(holds[i] ? yes.at(in_yes) : no.at(in_no));
  });
  return node.store().floats(out, std::move(values));
}

}  // namespace shingle::onnx

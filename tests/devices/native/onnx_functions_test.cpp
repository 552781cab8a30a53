// ONNX's functions of one operand, its comparisons, choices and integer arithmetic, on values that
// depend on the input.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxAttributes;
using networks::OnnxGraph;

constexpr int64_t boolean = 9, i64 = 7, f32 = 1;

struct Function {
  const char* op;
  double low, high;  // where the input lies
  std::function<double(double)> exact;
  OnnxAttributes attributes = {};
};

double gelu_tanh(double x) {
  const double root = std::sqrt(2.0 / std::numbers::pi);
  return 0.5 * x * (1.0 + std::tanh(root * (x + 0.044715 * x * x * x)));
}

const Function functions[] = {
    {"Sin", -9, 9, [](double x) { return std::sin(x); }},
    {"Cos", -9, 9, [](double x) { return std::cos(x); }},
    {"Tan", -1.5, 1.5, [](double x) { return std::tan(x); }},
    {"Asin", -1, 1, [](double x) { return std::asin(x); }},
    {"Acos", -1, 1, [](double x) { return std::acos(x); }},
    {"Atan", -9, 9, [](double x) { return std::atan(x); }},
    {"Sinh", -4, 4, [](double x) { return std::sinh(x); }},
    {"Cosh", -4, 4, [](double x) { return std::cosh(x); }},
    {"Asinh", -9, 9, [](double x) { return std::asinh(x); }},
    {"Acosh", 1, 9, [](double x) { return std::acosh(x); }},
    {"Atanh", -0.99, 0.99, [](double x) { return std::atanh(x); }},
    {"Sign", -2, 2, [](double x) { return x > 0 ? 1.0 : -1.0; }},
    {"Floor", -9, 9, [](double x) { return std::floor(x); }},
    {"Ceil", -9, 9, [](double x) { return std::ceil(x); }},
    {"Round", -9, 9, [](double x) { return std::nearbyint(x); }},
    {"Gelu", -4, 4, [](double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }},
    {"Gelu", -4, 4, gelu_tanh, {{"approximate", std::string("tanh")}}},
    {"Swish", -6, 6, [](double x) { return x / (1 + std::exp(-x)); }},
    {"Swish", -6, 6, [](double x) { return x / (1 + std::exp(-1.5 * x)); }, {{"alpha", 1.5F}}},
    {"ThresholdedRelu", -2, 2, [](double x) { return x > 0.5 ? x : 0.0; }, {{"alpha", 0.5F}}},
    {"Shrink",
     -2,
     2,
     [](double x) { return x < -0.5  ? x + 0.25
                           : x > 0.5 ? x - 0.25
                                     : 0.0; },
     {{"lambd", 0.5F}, {"bias", 0.25F}}},
};

Array spread_over(Array input, double low, double high) {
  for (float& value : input.values) {
    const double part = 0.5 + 0.5 * std::sin(static_cast<double>(value) * 5.0);
    value = static_cast<float>(low + part * (high - low));
  }
  return input;
}

Array whole_numbers(const Dims& dims, uint64_t seed) {
  Array input = spread_over(random_array(dims, seed), -9.4, 9.4);
  for (float& value : input.values) value = std::nearbyint(value);
  return input;
}

std::string as_integers(OnnxGraph& graph, const std::string& x) {
  return graph.node("Cast", {x}, {{"to", i64}});
}
std::string as_floats(OnnxGraph& graph, const std::string& x) {
  return graph.node("Cast", {x}, {{"to", f32}});
}

}  // namespace

TEST_CASE("Functions of one operand give what their names say") {
  for (const Function& function : functions) {
    CAPTURE(function.op);
    const Array input = spread_over(random_array({1, 3, 7, 5}, 1), function.low, function.high);
    OnnxGraph graph;
    const Array computed =
        run_onnx(graph, {.op = function.op, .attributes = function.attributes, .opset = 24}, input);
    check_everywhere(computed, input.dims,
                     [&](const Dims& at) { return function.exact(input.at(at)); });
  }
}

TEST_CASE("A function on a constant gives what it gives on a map") {
  for (const Function& function : functions) {
    CAPTURE(function.op);
    const Array input = spread_over(random_array({1, 2, 4, 4}, 2), function.low, function.high);
    OnnxGraph graph;
    const std::string known =
        graph.node(function.op, {graph.floats(input.dims, input.values)}, function.attributes);
    const std::string zero = graph.node("Mul", {"in", graph.scalar(0.0F)});
    const Array computed = run_onnx(graph, graph.node("Add", {zero, known}), input, 24);
    check_everywhere(computed, input.dims,
                     [&](const Dims& at) { return function.exact(input.at(at)); });
  }
}

TEST_CASE("What is infinite, and what is not a number, is found on a map") {
  Array input = random_array({1, 2, 5, 4}, 3);
  const float infinity = std::numeric_limits<float>::infinity();
  input.values[3] = infinity;
  input.values[17] = -infinity;
  input.values[21] = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t below : {0, 1}) {
    OnnxGraph graph;
    const std::string found = graph.node("IsInf", {"in"}, {{"detect_negative", below}});
    check_everywhere(run_onnx(graph, found, input, 20), input.dims, [&](const Dims& at) {
      const double x = input.at(at);
      return std::isinf(x) && (x > 0 || below != 0) ? 1.0 : 0.0;
    });
  }
  OnnxGraph graph;
  check_everywhere(run_onnx(graph, graph.node("IsNaN", {"in"}), input), input.dims,
                   [&](const Dims& at) { return std::isnan(input.at(at)) ? 1.0 : 0.0; });
}

TEST_CASE("Comparisons of maps and constants, either way round") {
  const Array input = whole_numbers({1, 3, 5, 4}, 4);
  const std::pair<const char*, bool (*)(double, double)> ops[] = {
      {"Equal", [](double a, double b) { return a == b; }},
      {"Less", [](double a, double b) { return a < b; }},
      {"LessOrEqual", [](double a, double b) { return a <= b; }},
      {"Greater", [](double a, double b) { return a > b; }},
      {"GreaterOrEqual", [](double a, double b) { return a >= b; }}};
  for (const auto& [op, holds] : ops) {
    for (const bool constant_first : {false, true}) {
      CAPTURE(op);
      CAPTURE(constant_first);
      OnnxGraph graph;
      const std::string row = graph.floats({4}, {-3, 0, 2, 5});
      const std::string last =
          constant_first ? graph.node(op, {row, "in"}) : graph.node(op, {"in", row});
      check_everywhere(run_onnx(graph, last, input, 16), input.dims, [&](const Dims& at) {
        constexpr double values[] = {-3, 0, 2, 5};
        const double a = input.at(at), b = values[at[3]];
        return (constant_first ? holds(b, a) : holds(a, b)) ? 1.0 : 0.0;
      });
    }
  }
}

TEST_CASE("Logic of what comparisons found") {
  const Array input = whole_numbers({1, 3, 5, 4}, 5);
  const std::pair<const char*, bool (*)(bool, bool)> ops[] = {
      {"And", [](bool a, bool b) { return a && b; }},
      {"Or", [](bool a, bool b) { return a || b; }},
      {"Xor", [](bool a, bool b) { return a != b; }}};
  for (const auto& [op, holds] : ops) {
    CAPTURE(op);
    OnnxGraph graph;
    const std::string small = graph.node("Less", {"in", graph.scalar(3.0F)});
    const std::string negative = graph.node("Less", {"in", graph.scalar(0.0F)});
    const std::string last = graph.node("Not", {graph.node(op, {small, negative})});
    check_everywhere(run_onnx(graph, last, input), input.dims, [&](const Dims& at) {
      return holds(input.at(at) < 3.0, input.at(at) < 0.0) ? 0.0 : 1.0;
    });
  }
}

TEST_CASE("Where takes the chosen side as it is, whatever the other side holds") {
  const Array input = random_array({1, 3, 5, 4}, 6);
  const float infinity = std::numeric_limits<float>::infinity();
  OnnxGraph graph;
  const std::string positive = graph.node("Greater", {"in", graph.scalar(0.0F)});
  const std::string doubled = graph.node("Add", {"in", "in"});
  const std::string masked = graph.node("Where", {positive, doubled, graph.scalar(-infinity)});
  const std::string back = graph.node("Where", {positive, graph.scalar(infinity), masked});
  const std::string both =
      graph.node("Concat", {graph.node("Exp", {masked}), graph.node("Reciprocal", {back})},
                 {{"axis", int64_t{1}}});
  check_everywhere(run_onnx(graph, both, input), {1, 6, 5, 4}, [&](const Dims& at) {
    const double x = input.at({0, at[1] % 3, at[2], at[3]});
    if (at[1] >= 3) return 0.0;
    return x > 0 ? std::exp(2 * x) : 0.0;
  });
}

TEST_CASE("Where broadcasts a condition that is known against a map and a constant") {
  const Array input = random_array({1, 3, 5, 4}, 7);
  OnnxGraph graph;
  const std::string mask = graph.node("Cast", {graph.floats({4}, {1, 0, 0, 1})}, {{"to", boolean}});
  const std::string columns = graph.floats({5, 1}, {10, 20, 30, 40, 50});
  check_everywhere(run_onnx(graph, graph.node("Where", {mask, "in", columns}), input), input.dims,
                   [&](const Dims& at) {
                     const bool kept = at[3] == 0 || at[3] == 3;
                     return kept ? input.at(at) : 10.0 * static_cast<double>(at[2] + 1);
                   });
}

TEST_CASE("Integers divide towards zero, and leave what Mod says") {
  const Array input = whole_numbers({1, 3, 5, 4}, 8);
  for (const int64_t by : {3, -4}) {
    const auto divisor = static_cast<double>(by);
    CAPTURE(by);
    OnnxGraph graph;
    const std::string x = as_integers(graph, "in"), y = graph.integers({by});
    const std::string parts[] = {graph.node("Div", {x, y}), graph.node("Mod", {x, y}),
                                 graph.node("Mod", {x, y}, {{"fmod", int64_t{1}}})};
    const std::string all =
        graph.node("Concat", {parts[0], parts[1], parts[2]}, {{"axis", int64_t{1}}});
    const Array computed = run_onnx(graph, as_floats(graph, all), input);
    check_everywhere(computed, {1, 9, 5, 4}, [&](const Dims& at) {
      const double a = input.at({0, at[1] % 3, at[2], at[3]});
      if (at[1] < 3) return std::trunc(a / divisor);
      return at[1] < 6 ? a - divisor * std::floor(a / divisor) : std::fmod(a, divisor);
    });
  }
}

TEST_CASE("Casts round towards zero, ask whether something is there, and keep whole numbers") {
  Array input = spread_over(random_array({1, 3, 5, 4}, 9), -3, 3);
  input.values[7] = 0.0F;
  OnnxGraph graph;
  const std::string whole = as_floats(graph, as_integers(graph, "in"));
  const std::string there =
      graph.node("CastLike", {graph.node("Cast", {"in"}, {{"to", boolean}}), "in"});
  const std::string all = graph.node("Concat", {whole, there}, {{"axis", int64_t{1}}});
  check_everywhere(run_onnx(graph, all, input, 15), {1, 6, 5, 4}, [&](const Dims& at) {
    const double x = input.at({0, at[1] % 3, at[2], at[3]});
    return at[1] < 3 ? std::trunc(x) : x == 0.0 ? 0.0 : 1.0;
  });
}

}  // namespace shingle::tests

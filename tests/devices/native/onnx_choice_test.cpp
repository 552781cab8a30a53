// ONNX operators that show elements several times, mirrored, cut or in another number.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

Dims resized(const Dims& dims, const Dims& pads) {
  Dims result = dims;
  for (size_t dim = 0; dim < dims.size(); ++dim) result[dim] += pads[dim] + pads[dims.size() + dim];
  return result;
}

// Walks from `i` into the map, turning round at every border.
int64_t bounced(int64_t i, int64_t size) {
  while (i < 0 || i >= size) i = i < 0 ? -i : 2 * (size - 1) - i;
  return i;
}

int64_t nearest(int64_t i, int64_t size) { return i < 0 ? 0 : i >= size ? size - 1 : i; }

}  // namespace

TEST_CASE("A mirrored border shows the map again, its outermost element once") {
  const Array input = random_array({1, 3, 9, 7}, 1);
  for (const Dims& pads : {Dims{0, 0, 2, 3, 0, 0, 1, 4}, Dims{0, 2, 0, 0, 0, 1, 0, 5},
                           Dims{0, 0, 20, 0, 0, 0, 0, 17}, Dims{0, 0, 0, 0, 0, 0, 0, 0}}) {
    OnnxGraph graph;
    const Array computed = run_onnx(graph, {.op = "Pad", .attributes = {{"mode", "reflect"}}},
                                    input, {graph.integers(pads)});
    check_everywhere(computed, resized(input.dims, pads), [&](Dims at) {
      for (size_t dim = 0; dim < 4; ++dim) {
        at[dim] = bounced(at[dim] - pads[dim], input.dims[dim]);
      }
      return input.at(at);
    });
  }
}

TEST_CASE("A repeated border shows the outermost element again and again") {
  const Array input = random_array({1, 3, 9, 7}, 2);
  const Dims pads{0, 1, 2, 3, 0, 2, 11, 0};
  for (const int64_t opset : {6, 12}) {
    OnnxGraph graph;
    OneNode node{.op = "Pad", .attributes = {{"mode", "edge"}}, .opset = opset};
    std::vector<std::string> operands;
    if (opset < 11) {
      node.attributes.push_back({"pads", pads});
    } else {
      operands.push_back(graph.integers(pads));
    }
    const Array computed = run_onnx(graph, node, input, operands);
    check_everywhere(computed, resized(input.dims, pads), [&](Dims at) {
      for (size_t dim = 0; dim < 4; ++dim) {
        at[dim] = nearest(at[dim] - pads[dim], input.dims[dim]);
      }
      return input.at(at);
    });
  }
}

TEST_CASE("Negative pads cut, and what is left is surrounded") {
  const Array input = random_array({1, 4, 9, 7}, 3);
  const Dims pads{0, -1, 2, -2, 0, 0, -3, 1};
  for (const char* mode : {"constant", "edge", "reflect"}) {
    CAPTURE(mode);
    OnnxGraph graph;
    const std::vector<std::string> operands{graph.integers(pads), graph.scalar(0.5F)};
    const Array computed = run_onnx(
        graph, {.op = "Pad", .attributes = {{"mode", std::string(mode)}}}, input, operands);
    // Rows -2..5 of rows 0..5, columns 2..7 of columns 2..6, channels 1..3.
    check_everywhere(computed, {1, 3, 8, 6}, [&](const Dims& at) {
      int64_t y = at[2] - 2, x = at[3];
      if (mode == std::string("constant") && (y < 0 || x >= 5)) return 0.5;
      y = mode == std::string("edge") ? nearest(y, 6) : bounced(y, 6);
      x = mode == std::string("edge") ? nearest(x, 5) : bounced(x, 5);
      return input.at({0, at[1] + 1, y, x + 2});
    });
  }
}

TEST_CASE(
    "A dim that is cut at one end and repeated at the other keeps its size, not its elements") {
  const Array input = random_array({1, 3, 9, 7}, 8);
  for (const char* mode : {"edge", "reflect"}) {
    CAPTURE(mode);
    OnnxGraph graph;
    const Array computed =
        run_onnx(graph, {.op = "Pad", .attributes = {{"mode", std::string(mode)}}}, input,
                 {graph.integers({0, 0, -2, 0, 0, 0, 2, 0})});
    check_everywhere(computed, input.dims, [&](Dims at) {
      const bool edge = mode == std::string("edge");
      at[2] = 2 + (edge ? nearest(at[2], 7) : bounced(at[2], 7));
      return input.at(at);
    });
  }
}

TEST_CASE("Tile repeats a value along each of its dims") {
  for (const Dims& dims : {Dims{1, 3, 5, 4}, Dims{1, 6}, Dims{1, 5, 7}}) {
    const Array input = random_array(dims, 4);
    Dims times{1, 2, 3, 2}, repeated = dims;
    times.resize(dims.size());
    for (size_t dim = 0; dim < dims.size(); ++dim) repeated[dim] *= times[dim];
    OnnxGraph graph;
    const Array computed = run_onnx(graph, {.op = "Tile"}, input, {graph.integers(times)});
    check_everywhere(computed, repeated, [&](Dims at) {
      for (size_t dim = 0; dim < dims.size(); ++dim) at[dim] %= dims[dim];
      return input.at(at);
    });
  }
}

TEST_CASE("Expand stretches dims of size 1, and puts new ones in front") {
  const Array input = random_array({1, 3, 1, 4}, 5);
  OnnxGraph graph;
  const Array map = run_onnx(graph, {.op = "Expand"}, input, {graph.integers({1, 1, 5, 1})});
  check_everywhere(map, {1, 3, 5, 4}, [&](const Dims& at) {
    return input.at({0, at[1], 0, at[3]});
  });

  const Array row = random_array({1, 6}, 6);
  OnnxGraph other;
  const Array stack = run_onnx(other, {.op = "Expand"}, row, {other.integers({1, 4, 3, 6})});
  check_everywhere(stack, {1, 4, 3, 6}, [&](const Dims& at) { return row.at({0, at[3]}); });
}

TEST_CASE("An If that asks the frame gives what the branch of its condition computes") {
  const auto branch = [](const char* op) {
    networks::OnnxGraph inner;
    inner.node(op, {"in"}, {}, "result");
    inner.output("result", {});
    return networks::OnnxInner{inner.graph()};
  };
  for (const float sign : {1.0F, -1.0F}) {
    Array input = random_array({1, 3, 5, 6}, 1);
    for (float& value : input.values) value = sign * (std::abs(value) + 0.1F);
    input.values[7] = -INFINITY;
    networks::OnnxGraph graph;
    const std::string largest = graph.node("ReduceMax", {"in"}, {{"keepdims", int64_t{0}}});
    const std::string above = graph.node("Greater", {largest, graph.scalar(0.0F)});
    const std::string chosen = graph.node(
        "If", {above}, {{"then_branch", branch("Reciprocal")}, {"else_branch", branch("Exp")}});
    check_everywhere(run_onnx(graph, chosen, input), input.dims, [&](const Dims& at) {
      const double x = input.at(at);
      return sign > 0.0F ? 1.0 / x : std::exp(x);
    });
  }
}

}  // namespace shingle::tests

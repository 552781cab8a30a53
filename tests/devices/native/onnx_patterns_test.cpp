// Arithmetic that the reader puts together: what is found to be an operator has that operator's
// bits, and what is folded computes what the file says.
#include <doctest/doctest.h>

#include <cmath>

#include "partition/readers/onnx.hpp"
#include "tests/devices/layers.hpp"
#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;
using Write = std::function<std::string(OnnxGraph&, const std::string& x)>;

// What both executors make of a function of the graph's input.
std::vector<Map> computed(const Write& write, int64_t opset) {
  OnnxGraph graph;
  graph.input("in", {1, 5, 7, 9}, ElementType::f32);
  graph.output(write(graph, "in"), {});
  const std::string bytes = graph.file(opset);
  const Result<Model> model = read_onnx(std::as_bytes(std::span(bytes)));
  REQUIRE_MESSAGE(model.ok(), model.error());
  std::vector<Map> maps;
  for (const bool native : {false, true}) {
    std::vector<Map> inputs = random_inputs(*model, 4);
    for (float& value : inputs[0].values) value *= 6.0F;
    maps.push_back(run_whole(*make_executor(native), *model, inputs)[0]);
  }
  return maps;
}

void same_bits(const Write& written, const Write& op, int64_t opset) {
  const std::vector<Map> a = computed(written, opset), b = computed(op, opset);
  for (size_t i = 0; i < a.size(); ++i) CHECK(differing_bytes(a[i], b[i]) == 0);
}

std::string mean(OnnxGraph& graph, const std::string& x) {
  return graph.node("ReduceMean", {x}, {{"axes", Dims{1}}});
}

Array scaled_input(const Dims& dims, uint64_t seed) {
  Array input = random_array(dims, seed);
  for (float& value : input.values) value *= 5.0F;
  return input;
}

}  // namespace

TEST_CASE("An activation that is written out has the bits of its operator") {
  same_bits(
      [](OnnxGraph& to, const std::string& x) {
        const std::string error = to.node("Erf", {to.node("Div", {x, to.scalar(1.41421356F)})});
        const std::string sum = to.node("Add", {error, to.scalar(1.0F)});
        return to.node("Mul", {to.node("Mul", {x, sum}), to.scalar(0.5F)});
      },
      [](OnnxGraph& to, const std::string& x) { return to.node("Gelu", {x}); }, 20);
  same_bits(
      [](OnnxGraph& to, const std::string& x) {
        const std::string cube = to.node("Pow", {x, to.scalar(3.0F)});
        const std::string more = to.node("Mul", {cube, to.scalar(0.044715F)});
        const std::string inner =
            to.node("Mul", {to.node("Add", {x, more}), to.scalar(0.797884561F)});
        const std::string sum = to.node("Add", {to.node("Tanh", {inner}), to.scalar(1.0F)});
        return to.node("Mul", {to.node("Mul", {x, to.scalar(0.5F)}), sum});
      },
      [](OnnxGraph& to, const std::string& x) {
        return to.node("Gelu", {x}, {{"approximate", std::string("tanh")}});
      },
      20);
  same_bits(
      [](OnnxGraph& to, const std::string& x) {
        const std::string sum = to.node("Add", {x, to.scalar(3.0F)});
        const std::string part = to.node("Clip", {sum, to.scalar(0.0F), to.scalar(6.0F)});
        return to.node("Div", {to.node("Mul", {x, part}), to.scalar(6.0F)});
      },
      [](OnnxGraph& to, const std::string& x) { return to.node("HardSwish", {x}); }, 14);
}

TEST_CASE("A normalisation that is written out has the bits of its operator") {
  const std::vector<float> gains{1.0F, -2.0F, 0.5F, 3.0F, 0.25F},
      shifts{0.0F, 1.0F, -1.0F, 2.0F, 5.0F};
  const auto last = [](OnnxGraph& to, const std::string& x) {  // channels last
    return to.node("Transpose", {x}, {{"perm", Dims{0, 2, 3, 1}}});
  };
  same_bits(
      [&](OnnxGraph& to, const std::string& x) {
        const std::string centred = to.node("Sub", {x, mean(to, x)});
        const std::string variance = mean(to, to.node("Pow", {centred, to.scalar(2.0F)}));
        const std::string root = to.node("Sqrt", {to.node("Add", {variance, to.scalar(1e-5F)})});
        const std::string normal = to.node("Div", {centred, root});
        const std::string scaled = to.node("Mul", {last(to, normal), to.floats({5}, gains)});
        return to.node("Add", {scaled, to.floats({5}, shifts)});
      },
      [&](OnnxGraph& to, const std::string& x) {
        return to.node("LayerNormalization",
                       {last(to, x), to.floats({5}, gains), to.floats({5}, shifts)});
      },
      17);
}

TEST_CASE("What convolutions take of the arithmetic before them is in their sums") {
  const Array input = scaled_input({1, 3, 9, 8}, 1);
  const Array weights = random_array({4, 3, 3, 3}, 2);
  const std::vector<float> scales{0.5F, -2.0F, 1.5F}, shifts{3.0F, -1.0F, 0.25F};
  for (const int64_t pad : {0, 1}) {
    CAPTURE(pad);
    OnnxGraph graph;
    std::string x = graph.node("Mul", {"in", graph.floats({3, 1, 1}, scales)});
    x = graph.node("Add", {x, graph.floats({3, 1, 1}, shifts)});
    x = graph.node("Mul", {x, graph.scalar(0.75F)});
    x = graph.node("Conv", {x, graph.floats(weights.dims, weights.values)},
                   {{"pads", Dims(4, pad)}});
    const Dims dims{1, 4, 7 + 2 * pad, 6 + 2 * pad};
    check_everywhere(run_onnx(graph, x, input), dims, [&](const Dims& at) {
      double sum = 0.0;
      for_each_index({3, 3, 3}, [&](const Dims& tap) {
        const int64_t row = at[2] + tap[1] - pad, column = at[3] + tap[2] - pad;
        if (row < 0 || column < 0 || row >= 9 || column >= 8) return;
        const auto c = static_cast<size_t>(tap[0]);
        const double value =
            0.75 * (input.at({0, tap[0], row, column}) * double{scales[c]} + double{shifts[c]});
        sum += value * weights.at({at[1], tap[0], tap[1], tap[2]});
      });
      return sum;
    });
  }
}

TEST_CASE("A product with a constant takes the scale and the shift of its features") {
  const Array input = scaled_input({1, 40, 6}, 3), weights = random_array({6, 5}, 4);
  const Array scales = random_array({6}, 5), shifts = random_array({6}, 6);
  OnnxGraph graph;
  std::string x = graph.node("Mul", {"in", graph.floats({6}, scales.values)});
  x = graph.node("Add", {x, graph.floats({6}, shifts.values)});
  x = graph.node("MatMul", {x, graph.floats(weights.dims, weights.values)});
  check_everywhere(run_onnx(graph, x, input), {1, 40, 5}, [&](const Dims& at) {
    double sum = 0.0;
    for (int64_t i = 0; i < 6; ++i)
      sum += (input.at({0, at[1], i}) * scales.at({i}) + shifts.at({i})) * weights.at({i, at[2]});
    return sum;
  });
}

TEST_CASE("A scaled product of two values is what it was with its scale behind it") {
  const Array input = random_array({1, 6, 3, 4}, 7);
  OnnxGraph graph;
  const std::string rows = graph.node("Reshape", {"in", graph.integers({1, 6, 12})});
  const std::string turned = graph.node("Transpose", {rows}, {{"perm", Dims{0, 2, 1}}});
  const std::string scores =
      graph.node("Div", {graph.node("MatMul", {turned, rows}), graph.scalar(2.5F)});
  check_everywhere(run_onnx(graph, scores, input), {1, 12, 12}, [&](const Dims& at) {
    double sum = 0.0;
    for (int64_t c = 0; c < 6; ++c)
      sum += input.at({0, c, at[1] / 4, at[1] % 4}) * input.at({0, c, at[2] / 4, at[2] % 4});
    return sum / 2.5;
  });
}

}  // namespace shingle::tests

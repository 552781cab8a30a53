// Matrix products of two values that both depend on the input, as attention has them.
#include <doctest/doctest.h>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

}  // namespace

TEST_CASE("A stack of matrices times its own transpose") {
  for (const Dims& dims : {Dims{1, 3, 6, 5}, Dims{1, 7, 4}}) {
    const Array input = random_array(dims, 1);
    const size_t rank = dims.size();
    Dims permutation{0, 1, 3, 2}, out = dims;
    if (rank == 3) permutation = {0, 2, 1};
    out[rank - 1] = dims[rank - 2];
    OnnxGraph graph;
    const std::string turned = graph.node("Transpose", {"in"}, {{"perm", permutation}});
    const Array computed = run_onnx(graph, graph.node("MatMul", {"in", turned}), input);
    check_everywhere(computed, out, [&](const Dims& at) {
      double sum = 0.0;
      for (int64_t k = 0; k < dims[rank - 1]; ++k) {
        Dims row = at, column = at;
        row[rank - 1] = column[rank - 1] = k;
        column[rank - 2] = at[rank - 1];
        sum += input.at(row) * input.at(column);
      }
      return sum;
    });
  }
}

TEST_CASE("A product stretches the operand that has one matrix for a stack of them") {
  const Array input = random_array({1, 4, 6, 5}, 2);
  OnnxGraph graph;
  const std::string mean =
      graph.node("ReduceMean", {"in"}, {{"axes", Dims{1}}, {"keepdims", int64_t{1}}});
  const std::string turned = graph.node("Transpose", {mean}, {{"perm", Dims{0, 1, 3, 2}}});
  const Array computed = run_onnx(graph, graph.node("MatMul", {"in", turned}), input);
  check_everywhere(computed, {1, 4, 6, 6}, [&](const Dims& at) {
    double sum = 0.0;
    for (int64_t k = 0; k < 5; ++k) {
      double column = 0.0;
      for (int64_t c = 0; c < 4; ++c) column += input.at({0, c, at[3], k}) / 4.0;
      sum += input.at({0, at[1], at[2], k}) * column;
    }
    return sum;
  });
}

TEST_CASE("Gemm of two values turns, scales and adds") {
  const Array input = random_array({6, 4}, 3);
  OnnxGraph graph;
  const std::string row = graph.floats({4}, {1, 2, 3, 4});
  const Array computed = run_onnx(
      graph, graph.node("Gemm", {"in", "in", row}, {{"transA", int64_t{1}}, {"alpha", 0.5F}}),
      input);
  check_everywhere(computed, {4, 4}, [&](const Dims& at) {
    double sum = 0.0;
    for (int64_t k = 0; k < 6; ++k) sum += input.at({k, at[0]}) * input.at({k, at[1]});
    return sum / 2.0 + static_cast<double>(at[1] + 1);
  });
}

}  // namespace shingle::tests

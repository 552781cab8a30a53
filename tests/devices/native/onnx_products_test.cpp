// Matrix products of two values that both depend on the input, as attention has them.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

// The value that dims `b` have at `at` of a broadcast result, with the last two indices given.
Dims index_in(const Dims& b, const Dims& at, int64_t row, int64_t column) {
  const size_t lead = at.size() - b.size();
  Dims index(b.size());
  for (size_t dim = 0; dim < b.size(); ++dim) index[dim] = b[dim] == 1 ? 0 : at[lead + dim];
  index[b.size() - 2] = row;
  index[b.size() - 1] = column;
  return index;
}

// One input holds both operands: the first elements are `a`, the others `b`; either may be stored
// with its last two dims the other way round.
struct Operands {
  Dims a, b, out;
  bool a_turned = false, b_turned = false;
};

int64_t count_of(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return count;
}

std::string part(OnnxGraph& graph, const Dims& dims, bool turned, int64_t begin) {
  const std::string slice =
      graph.node("Slice", {"in", graph.integers({begin}), graph.integers({begin + count_of(dims)}),
                           graph.integers({1})});
  Dims stored = dims, permutation;
  if (turned) std::swap(stored[dims.size() - 1], stored[dims.size() - 2]);
  for (size_t dim = 0; dim < dims.size(); ++dim) permutation.push_back(static_cast<int64_t>(dim));
  const std::string shaped = graph.node("Reshape", {slice, graph.integers(stored)});
  if (!turned) return shaped;
  std::swap(permutation[dims.size() - 1], permutation[dims.size() - 2]);
  return graph.node("Transpose", {shaped}, {{"perm", permutation}});
}

Array part(const Array& input, const Dims& dims, bool turned, int64_t begin) {
  Array result{dims, {}};
  const size_t rank = dims.size();
  for_each_index(dims, [&](const Dims& at) {
    Dims stored = dims, index = at;
    if (turned) {
      std::swap(stored[rank - 1], stored[rank - 2]);
      std::swap(index[rank - 1], index[rank - 2]);
    }
    int64_t place = 0;
    for (size_t dim = 0; dim < rank; ++dim) place = place * stored[dim] + index[dim];
    result.values.push_back(input.values[static_cast<size_t>(begin + place)]);
  });
  return result;
}

void must_multiply(const Operands& operands, uint64_t seed) {
  const int64_t count = count_of(operands.a), all = count + count_of(operands.b);
  const Array input = random_array({1, all}, seed);
  OnnxGraph graph;
  const std::string a = part(graph, operands.a, operands.a_turned, 0);
  const std::string b = part(graph, operands.b, operands.b_turned, count);
  const Array computed = run_onnx(graph, graph.node("MatMul", {a, b}), input);
  const Array left = part(input, operands.a, operands.a_turned, 0);
  const Array right = part(input, operands.b, operands.b_turned, count);
  check_everywhere(computed, operands.out, [&](const Dims& at) {
    double sum = 0.0;
    for (int64_t k = 0; k < operands.a.back(); ++k) {
      sum += left.at(index_in(operands.a, at, at[at.size() - 2], k)) *
             right.at(index_in(operands.b, at, k, at.back()));
    }
    return sum;
  });
}

}  // namespace

TEST_CASE("Stacks of any rank multiply, broadcast and turned as they may be") {
  const std::vector<Operands> cases{{{4, 3}, {3, 5}, {4, 5}},
                                    {{2, 4, 3}, {2, 3, 5}, {2, 4, 5}},
                                    {{2, 4, 3}, {3, 5}, {2, 4, 5}},
                                    {{4, 3}, {2, 3, 5}, {2, 4, 5}},
                                    {{2, 1, 4, 3}, {1, 3, 3, 5}, {2, 3, 4, 5}},
                                    {{2, 3, 4, 3}, {3, 3, 5}, {2, 3, 4, 5}},
                                    {{2, 3, 1, 4, 2}, {2, 1, 2, 2, 3}, {2, 3, 2, 4, 3}},
                                    {{3, 1, 7}, {3, 7, 1}, {3, 1, 1}},
                                    {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}};
  uint64_t seed = 10;
  for (Operands operands : cases) {
    for (const bool a_turned : {false, true}) {
      for (const bool b_turned : {false, true}) {
        operands.a_turned = a_turned;
        operands.b_turned = b_turned;
        CAPTURE(seed);
        must_multiply(operands, seed++);
      }
    }
  }
}

TEST_CASE("A vector is a row before a matrix and a column behind one") {
  const Array input = random_array({1, 3 + 3 * 4}, 40);
  const auto vector = [&](int64_t k) { return input.at({0, k}); };
  const auto matrix = [&](int64_t row, int64_t column, int64_t width) {
    return input.at({0, 3 + row * width + column});
  };
  for (const bool before : {false, true}) {
    CAPTURE(before);
    OnnxGraph graph;
    const std::string flat = part(graph, {3}, false, 0);
    const Array computed =
        run_onnx(graph,
                 before ? graph.node("MatMul", {flat, part(graph, {3, 4}, false, 3)})
                        : graph.node("MatMul", {part(graph, {4, 3}, false, 3), flat}),
                 input);
    check_everywhere(computed, {4}, [&](const Dims& at) {
      double sum = 0.0;
      for (int64_t k = 0; k < 3; ++k)
        sum += vector(k) * (before ? matrix(k, at[0], 4) : matrix(at[0], k, 3));
      return sum;
    });
  }
}

TEST_CASE("An attention of heads beside each other in the channels") {
  const int64_t heads = 2, depth = 3, height = 4, width = 5, pixels = height * width;
  const Array input = random_array({1, heads * 3 * depth, height, width}, 4);
  OnnxGraph graph;
  const std::string all =
      graph.node("Reshape", {"in", graph.integers({1, heads, 3 * depth, pixels})});
  const auto third = [&](int64_t index) {
    return graph.node("Slice", {all, graph.integers({index * depth}),
                                graph.integers({(index + 1) * depth}), graph.integers({2})});
  };
  const auto turned = [&](const std::string& x) {
    return graph.node("Transpose", {x}, {{"perm", Dims{0, 1, 3, 2}}});
  };
  const std::string scores = graph.node("MatMul", {turned(third(0)), third(1)});
  const std::string weights = graph.node("Softmax", {scores}, {{"axis", int64_t{-1}}});
  const std::string sum = graph.node("MatMul", {third(2), turned(weights)});
  const std::string last =
      graph.node("Reshape", {sum, graph.integers({1, heads * depth, height, width})});
  const Array computed = run_onnx(graph, last, input);
  const auto at = [&](int64_t head, int64_t part, int64_t d, int64_t pixel) {
    return input.at({0, (head * 3 + part) * depth + d, pixel / width, pixel % width});
  };
  check_everywhere(computed, {1, heads * depth, height, width}, [&](const Dims& index) {
    const int64_t head = index[1] / depth, query = index[2] * width + index[3];
    double weighted = 0.0, total = 0.0;
    for (int64_t key = 0; key < pixels; ++key) {
      double score = 0.0;
      for (int64_t d = 0; d < depth; ++d) score += at(head, 0, d, query) * at(head, 1, d, key);
      total += std::exp(score);
      weighted += std::exp(score) * at(head, 2, index[1] % depth, key);
    }
    return weighted / total;
  });
}

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

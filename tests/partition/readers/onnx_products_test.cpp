// Gemm and MatMul with constants of any rank, and values whose first dim is not 1, compared with
// sums over indices. All numbers are small integers, so that sums are exact.
#include <doctest/doctest.h>

#include <numeric>

#include "partition/readers/onnx.hpp"
#include "tests/networks/onnx_graph.hpp"
#include "tests/partition/array.hpp"
#include "tests/partition/search/moves.hpp"

using namespace shingle;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;

namespace {

Array small_integers(Dims dims) {
  Array array = counting(std::move(dims));
  for (float& value : array.values) value = static_cast<float>(static_cast<int>(value) * 7 % 11);
  return array;
}

// The value in (y, x, c) order; 2 dims are laid out as [c, x], 4 dims as [.., c, y, x].
std::vector<float> in_map_order(const Array& value) {
  const int64_t h = value.dims.size() < 3 ? 1 : value.dims[value.dims.size() - 2];
  const int64_t w = value.dims.back();
  const int64_t c = static_cast<int64_t>(value.values.size()) / h / w;
  return transposed(reshaped(value, {c, h, w}), {1, 2, 0}).values;
}

Array transposed_last(const Array& value) {
  std::vector<int64_t> permutation(value.dims.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return transposed(value, permutation);
}

// Products of the matrices in the last two dims; stacks are equal or 1.
Array product(const Array& a, const Array& b) {
  const size_t rank = a.dims.size();
  Array left = a, right = b;
  left.dims.push_back(1);  // [.., rows, k, 1] * [.., 1, k, columns], summed over k
  right.dims.insert(right.dims.end() - 2, 1);
  const Array terms = combined(left, right, std::multiplies<>());
  const int64_t inner = a.dims.back();
  Array sum = taken(terms, rank - 1, {0});
  for (int64_t k = 1; k < inner; ++k) {
    sum = combined(sum, taken(terms, rank - 1, {k}), std::plus<>());
  }
  sum.dims.erase(sum.dims.end() - 2);
  return sum;
}

struct Reading {
  OnnxGraph graph;
  std::string bytes;
  Result<Model> result = Error{"nothing was read"};

  explicit Reading(const Dims& input) { graph.input("in", input, ElementType::f32); }
  std::string constant(const Array& array) { return graph.floats(array.dims, array.values); }
  void end(const std::string& last, int64_t opset = 13) {
    graph.node("Identity", {last}, {}, "out");
    graph.output("out", {});
    bytes = graph.file(opset);
    result = read_onnx(std::as_bytes(std::span(bytes)));
  }
  std::string refusal() const { return result.ok() ? "it was read" : result.error(); }
};

void must_give(const Reading& reading, const Array& input, const Array& expected) {
  REQUIRE_MESSAGE(reading.result.ok(), reading.refusal());
  CHECK(defects(*reading.result).empty());
  CHECK(reading.result->outputs[0].dims == expected.dims);
  CHECK(run_moves(*reading.result, in_map_order(input)) == expected.values);
}

}  // namespace

TEST_CASE("MatMul multiplies each part of a stack by its own matrix, from either side") {
  const std::vector<std::pair<Dims, Dims>> operands{
      {{2, 3, 4, 5}, {2, 3, 5, 6}}, {{2, 3, 4, 5}, {2, 1, 5, 6}}, {{2, 3, 4, 5}, {1, 3, 5, 1}},
      {{1, 3, 4, 5}, {1, 3, 5, 2}}, {{2, 3, 4, 1}, {2, 3, 1, 6}}, {{2, 3, 1, 5}, {1, 1, 5, 6}}};
  for (const auto& [left, right] : operands) {
    CAPTURE(left);
    CAPTURE(right);
    const Array a = small_integers(left), b = small_integers(right);
    Reading behind(left);
    behind.end(behind.graph.node("MatMul", {"in", behind.constant(b)}));
    must_give(behind, a, product(a, b));
    // The transpose of (a b) is the transpose of b times the transpose of a.
    const Array a_turned = transposed_last(a), b_turned = transposed_last(b);
    Reading before(a_turned.dims);
    before.end(before.graph.node("MatMul", {before.constant(b_turned), "in"}));
    must_give(before, a_turned, transposed_last(product(a, b)));
  }
}

TEST_CASE("A stack of matrices that would repeat the other operand is refused by its node") {
  Reading reading({1, 3, 4, 5});
  const std::string stack = reading.constant(small_integers({2, 3, 5, 6}));
  reading.end(reading.graph.node("MatMul", {"in", stack}));
  CHECK(reading.refusal() ==
        "node 'MatMul_2' (MatMul): its operands 1x3x4x5 and 6 matrices of 5 inputs do not fit");
}

TEST_CASE("Gemm turns over, scales and adds as its attributes say") {
  const Array a = small_integers({4, 3}), b = small_integers({4, 5});
  for (const Dims& addend_dims : std::vector<Dims>{{3, 5}, {3, 1}, {1, 5}, {5}, {1}, {}}) {
    CAPTURE(addend_dims);
    const Array addend = small_integers(addend_dims);
    Reading reading({4, 3});
    reading.end(reading.graph.node(
        "Gemm", {"in", reading.constant(transposed_last(b)), reading.constant(addend)},
        {{"transA", int64_t{1}}, {"transB", int64_t{1}}, {"alpha", 0.5F}, {"beta", 0.25F}}));
    Array expected = product(transposed_last(a), b);
    Array wide = addend;
    wide.dims.insert(wide.dims.begin(), 2 - wide.dims.size(), 1);
    expected = combined(expected, wide, [](float x, float y) { return 0.5F * x + 0.25F * y; });
    must_give(reading, a, expected);
  }
}

TEST_CASE("Gemm adds what depends on the input too") {
  const Array a = small_integers({3, 3}), b = small_integers({3, 3});
  Reading reading({3, 3});
  reading.end(reading.graph.node("Gemm", {"in", reading.constant(b), "in"}, {{"beta", 2.0F}}));
  must_give(reading, a, combined(product(a, b), a, [](float x, float y) { return x + 2.0F * y; }));
}

TEST_CASE("Gemm refuses an addend that would stretch its product") {
  Reading reading({1, 3});
  const std::string b = reading.constant(small_integers({3, 5}));
  const std::string addend = reading.constant(small_integers({4, 5}));
  reading.end(reading.graph.node("Gemm", {"in", b, addend}));
  CHECK(reading.refusal() == "node 'Gemm_3' (Gemm): its third operand does not fit 1x5");
}

TEST_CASE("A first dim that is not 1 is a dim like any other where no operator looks at images") {
  const Array value = counting({5, 4, 3, 2});
  Reading gathered({5, 4, 3, 2});
  gathered.end(gathered.graph.node("Gather", {"in", gathered.graph.integers({4, 0, 2})},
                                   {{"axis", int64_t{0}}}));
  must_give(gathered, value, taken(value, 0, {4, 0, 2}));

  Reading flat({5, 4, 3, 2});
  flat.end(flat.graph.node("Flatten", {"in"}, {{"axis", int64_t{3}}}));
  must_give(flat, value, reshaped(value, {60, 2}));
}

TEST_CASE("A convolution of a batch is refused by its node, which says what to do") {
  Reading reading({4, 3, 8, 8});
  const std::string weights = reading.constant(small_integers({2, 3, 1, 1}));
  reading.end(reading.graph.node("Conv", {"in", weights}));
  CHECK(reading.refusal() ==
        "node 'Conv_2' (Conv): its input 4x3x8x8 is a batch of 4, and shingle runs one frame at a "
        "time; export the model with a batch of 1");
}

TEST_CASE("An attention moves no element but to take its queries, keys and values apart") {
  OnnxGraph graph;
  graph.input("in", {1, 24, 4, 5}, ElementType::f32);
  const std::string all = graph.node("Reshape", {"in", graph.integers({1, 2, 12, 20})});
  const auto third = [&](int64_t index) {
    return graph.node("Slice", {all, graph.integers({index * 4}), graph.integers({index * 4 + 4}),
                                graph.integers({2})});
  };
  const auto turned = [&](const std::string& x) {
    return graph.node("Transpose", {x}, {{"perm", Dims{0, 1, 3, 2}}});
  };
  const std::string scores = graph.node("MatMul", {turned(third(0)), third(1)});
  const std::string weights = graph.node("Softmax", {scores}, {{"axis", int64_t{-1}}});
  const std::string sum = graph.node("MatMul", {third(2), turned(weights)});
  graph.node("Reshape", {sum, graph.integers({1, 8, 4, 5})}, {}, "out");
  graph.output("out", {});
  const std::string bytes = graph.file(13);
  const Result<Model> model = read_onnx(std::as_bytes(std::span(bytes)));
  REQUIRE_MESSAGE(model.ok(), model.error());
  std::vector<std::string> kinds;
  for (const Layer& layer : model->layers) kinds.emplace_back(name_of(layer.op));
  CHECK(std::count(kinds.begin(), kinds.end(), "MatrixProduct") == 2);
  CHECK(std::count(kinds.begin(), kinds.end(), "Rearrange") == 0);
  CHECK(total_macs(*model) == 2 * 2 * 20 * 20 * 4);
  CHECK(model->at(model->outputs[0].tensor).shape == Shape{4, 5, 8});
}

TEST_CASE("A constant vector multiplies from either side") {
  const Dims dims{2, 3, 4};
  const Array input = small_integers(dims), row = small_integers({3}), column = small_integers({4});
  Reading behind(dims), before(dims);
  behind.end(behind.graph.node("MatMul", {"in", behind.constant(column)}));
  before.end(before.graph.node("MatMul", {before.constant(row), "in"}));
  must_give(behind, input, reshaped(product(input, reshaped(column, {1, 4, 1})), {2, 3}));
  must_give(before, input, reshaped(product(reshaped(row, {1, 1, 3}), input), {2, 4}));
}

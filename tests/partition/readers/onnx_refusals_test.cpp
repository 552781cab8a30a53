// Uses of ONNX operators that cannot be: each is refused by one sentence that names the operator.
#include <doctest/doctest.h>

#include "partition/readers/onnx.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using networks::OnnxAttributes;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;

namespace {

// One node on an input "in", and its answer.
struct OneNode {
  OnnxGraph graph;
  int64_t opset = 24;

  explicit OneNode(const Dims& dims, int64_t version = 24) : opset(version) {
    graph.input("in", dims, ElementType::f32);
  }

  std::string zeros(const Dims& dims) {
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    return graph.floats(dims, std::vector<float>(static_cast<size_t>(count), 0.0F));
  }

  std::string answer(std::string_view op, const std::vector<std::string>& inputs,
                     const OnnxAttributes& attributes = {}) {
    graph.node(op, inputs, attributes, "out");
    graph.output("out", {});
    const std::string file = graph.file(opset);
    const Result<Model> model = read_onnx(std::as_bytes(std::span(file)));
    return model.ok() ? "it was read" : model.error();
  }
};

bool holds(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != std::string::npos;
}

// "in" is queries, keys and values at once; further operands by their dims.
std::string attention(const Dims& dims, const OnnxAttributes& attributes,
                      const std::vector<Dims>& more = {}, int64_t opset = 24) {
  OneNode file(dims, opset);
  std::vector<std::string> inputs{"in", "in", "in"};
  for (const Dims& each : more) inputs.push_back(each.empty() ? "" : file.zeros(each));
  return file.answer("Attention", inputs, attributes);
}

}  // namespace

TEST_CASE("A mask that does not broadcast to the scores is refused with both sizes") {
  const Dims dims{1, 2, 6, 4};
  CHECK(attention(dims, {}, {{6, 6}}) == "it was read");
  CHECK(holds(attention(dims, {}, {{5, 6}}),
              "(Attention): its mask 5x6 does not broadcast to its scores 1x2x6x6"));
  CHECK(holds(attention(dims, {}, {{6, 7}}), "its mask 6x7 does not broadcast"));
  CHECK(holds(attention(dims, {}, {{1, 1, 1, 6, 6}}), "does not broadcast"));
  CHECK(holds(attention(dims, {}, {{3, 6, 6}}), "does not broadcast"));
  CHECK(attention(dims, {}, {{6, 4}}) == "it was read");  // padded from opset 24 on
  CHECK(holds(attention(dims, {}, {{6, 4}}, 23), "does not broadcast"));
}

TEST_CASE("Attention is refused with a cache, or with heads that its operands do not have") {
  const Dims dims{1, 2, 6, 4}, flat{1, 6, 8};
  CHECK(holds(attention(dims, {}, {{}, {1, 2, 3, 4}, {1, 2, 3, 4}}), "(Attention): it continues"));
  CHECK(attention(flat, {{"q_num_heads", int64_t{4}}, {"kv_num_heads", int64_t{4}}}) ==
        "it was read");
  for (const int64_t bad : {int64_t{0}, int64_t{-2}, int64_t{3}, INT64_MAX, INT64_MIN}) {
    CHECK(holds(attention(flat, {{"q_num_heads", bad}, {"kv_num_heads", int64_t{4}}}), "6x8"));
    CHECK(holds(attention(flat, {{"q_num_heads", int64_t{4}}, {"kv_num_heads", bad}}), "6x8"));
  }
  CHECK(holds(attention(flat, {{"q_num_heads", int64_t{4}}, {"kv_num_heads", int64_t{2}}}),
              "do not fit"));  // heads of 2 and of 4 features
  CHECK(holds(attention({6, 8}, {}), "(Attention): its input 6x8"));
  CHECK(holds(attention(dims, {{"softcap", -1.0F}}), "its softcap"));
}

TEST_CASE("Attention without an operand that depends on the input is refused") {
  OneNode file({1, 2, 6, 4});
  const std::string known = file.zeros({1, 2, 6, 4});
  CHECK(
      holds(file.answer("Attention", {known, known, "in"}), "its queries and keys are constants"));
  OneNode other({1, 2, 6, 4});
  const std::string none = other.zeros({1, 0, 6, 4});
  CHECK(holds(other.answer("Attention", {"in", none, none}), "has no elements"));
}

TEST_CASE("A rotary embedding is refused if its caches, positions or pairs do not fit") {
  const auto rotary = [](const Dims& dims, const Dims& cache, const OnnxAttributes& attributes = {},
                         const Dims& positions = {}) {
    OneNode file(dims);
    std::vector<std::string> inputs{"in", file.zeros(cache), file.zeros(cache)};
    if (!positions.empty()) {
      const std::string list = file.graph.integers(positions);
      const auto count = static_cast<int64_t>(positions.size());
      const std::string shape = file.graph.integers({1, count});
      inputs.push_back(file.graph.node("Reshape", {list, shape}));
    }
    return file.answer("RotaryEmbedding", inputs, attributes);
  };
  const Dims dims{1, 2, 3, 8};
  CHECK(rotary(dims, {1, 3, 4}) == "it was read");
  CHECK(rotary(dims, {5, 4}, {}, {0, 4, 2}) == "it was read");
  CHECK(
      holds(rotary(dims, {1, 3, 3}), "(RotaryEmbedding): its cache 1x3x3 does not hold 4 angles"));
  CHECK(holds(rotary(dims, {3, 4}), "its cache 3x4"));
  CHECK(holds(rotary(dims, {5, 4}, {}, {0, 5, 2}), "its position 5 is not one of 5"));
  CHECK(holds(rotary(dims, {5, 4}, {}, {0, -1, 2}), "its position -1"));
  CHECK(holds(rotary(dims, {5, 4}, {}, {0, 1}), "its positions are not"));
  CHECK(holds(rotary({1, 3, 16}, {1, 3, 4}), "heads"));
  for (const int64_t bad : {int64_t{3}, int64_t{-2}, int64_t{10}, INT64_MAX, INT64_MIN})
    CHECK(holds(rotary(dims, {1, 3, 4}, {{"rotary_embedding_dim", bad}}), "even number"));
}

TEST_CASE("An Einsum on values is refused if its equation does not fit them") {
  const auto einsum = [](const std::string& equation, const Dims& more) {
    OneNode file({2, 3});
    std::vector<std::string> inputs{"in"};
    if (!more.empty()) inputs.push_back(file.zeros(more));
    return file.answer("Einsum", inputs, {{"equation", equation}});
  };
  CHECK(einsum("ij,jk->ik", {3, 4}) == "it was read");
  CHECK(holds(einsum("ij,jk->ik", {4, 4}), "(Einsum): its index j has two sizes, 3 and 4"));
  CHECK(holds(einsum("ii->i", {}), "its index i has two sizes, 2 and 3"));
  CHECK(holds(einsum("ij,jk->iik", {3, 4}), "names an index twice"));
  CHECK(holds(einsum("ij,jk->z", {3, 4}), "an index that no operand has"));
  CHECK(holds(einsum("ijk->i", {}), "names 3 dimensions of 2x3"));
  CHECK(holds(einsum("ij,jk->ik", {0, 3}), "has no elements"));
  CHECK(holds(einsum("", {}), "(Einsum): "));
  CHECK(holds(einsum(std::string(10'000, 'i'), {}), "not one of letters"));
  CHECK(holds(einsum(std::string(10'000, ','), {}), "not one of letters"));
}

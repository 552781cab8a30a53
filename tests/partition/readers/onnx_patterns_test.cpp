// What exporters write out as arithmetic is the layers of the operator that it stands for.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "tests/networks/onnx_graph.hpp"
#include "tests/partition/readers/onnx_reading.hpp"

using namespace shingle;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;
using Kinds = std::map<std::string, int>;
using Kind = Activation::Kind;

namespace {

const float root_half = std::sqrt(0.5F), root_two = std::sqrt(2.0F),
            root_of_tanh = std::sqrt(2.0F / 3.14159265F);

// A convolution and what is made of its output.
struct Draft {
  OnnxGraph graph;
  std::string x;

  Draft() {
    graph.input("in", {1, 4, 6, 6}, ElementType::f32);
    x = graph.node("Conv", {"in", graph.floats({4, 4, 1, 1}, std::vector<float>(16, 0.5F))});
  }

  std::string number(float value) { return graph.scalar(value); }
  std::string op(const char* name, const std::string& a) { return graph.node(name, {a}); }
  std::string op(const char* name, const std::string& a, const std::string& b) {
    return graph.node(name, {a, b});
  }
  std::string op(const char* name, const std::string& a, float b) { return op(name, a, number(b)); }
  std::string op(const char* name, float a, const std::string& b) { return op(name, number(a), b); }
};

using Written = std::function<std::string(Draft&)>;

// The activation of the only layer; none if there are more.
Activation activation_of(const Written& written) {
  Draft draft;
  const Model model = must_read(draft.graph, written(draft));
  return model.layers.size() == 1 ? model.layers[0].activation : Activation{};
}

std::string erf_plus_one(Draft& to) {
  return to.op("Add", to.op("Erf", to.op("Div", to.x, root_two)), 1.0F);
}

std::string tanh_plus_one(Draft& to) {
  const std::string cube = to.op("Mul", 0.044715F, to.op("Pow", to.x, 3.0F));
  const std::string inner = to.op("Mul", root_of_tanh, to.op("Add", to.x, cube));
  return to.op("Add", 1.0F, to.op("Tanh", inner));
}

std::string of_half(Draft& to, uint16_t bits) {
  std::string raw(2, '\0');
  std::memcpy(raw.data(), &bits, 2);
  return to.graph.tensor({}, 10, raw);
}

std::vector<std::string> layers_of(const Written& written, int64_t opset = 17) {
  Draft draft;
  return kinds(must_read(draft.graph, written(draft), opset));
}

std::string mean(Draft& to, const std::string& value) {
  return to.graph.node("ReduceMean", {value}, {{"axes", Dims{-1}}});
}

}  // namespace

TEST_CASE("A GELU that is written out is one activation, in any order of its factors") {
  const std::vector<Written> all{
      [](Draft& to) { return to.op("Mul", to.op("Mul", to.x, erf_plus_one(to)), 0.5F); },
      [](Draft& to) { return to.op("Mul", 0.5F, to.op("Mul", erf_plus_one(to), to.x)); },
      [](Draft& to) { return to.op("Mul", to.op("Mul", to.x, 0.5F), erf_plus_one(to)); },
      [](Draft& to) { return to.op("Mul", to.x, to.op("Mul", erf_plus_one(to), 0.5F)); },
      [](Draft& to) { return to.op("Div", to.op("Mul", to.x, erf_plus_one(to)), 2.0F); },
      [](Draft& to) {
        const std::string error = to.op("Erf", to.op("Mul", root_half, to.x));
        return to.op("Mul", to.x, to.op("Add", to.op("Mul", error, 0.5F), 0.5F));
      },
      [](Draft& to) {  // of float16: 1.4140625
        const std::string error = to.op("Erf", to.op("Div", to.x, of_half(to, 0x3da8)));
        return to.op("Mul", to.op("Mul", to.x, to.op("Add", error, 1.0F)), 0.5F);
      }};
  for (const Written& written : all) CHECK(activation_of(written).kind == Kind::gelu);
  const std::vector<Written> by_tanh{
      [](Draft& to) { return to.op("Mul", to.op("Mul", 0.5F, to.x), tanh_plus_one(to)); },
      [](Draft& to) { return to.op("Mul", to.op("Mul", to.x, tanh_plus_one(to)), 0.5F); },
      [](Draft& to) {
        const std::string square = to.op("Mul", to.op("Mul", to.x, 0.044715F), to.x);
        const std::string inner =
            to.op("Mul", to.op("Mul", to.x, root_of_tanh), to.op("Add", square, 1.0F));
        return to.op("Mul", to.op("Mul", to.x, 0.5F), to.op("Add", to.op("Tanh", inner), 1.0F));
      }};
  for (const Written& written : by_tanh) CHECK(activation_of(written).kind == Kind::gelu_tanh);
}

TEST_CASE("What only looks like a GELU stays arithmetic") {
  const auto error_of = [](Draft& to, float divisor) {
    return to.op("Add", to.op("Erf", to.op("Div", to.x, divisor)), 1.0F);
  };
  const std::vector<Written> all{
      [](Draft& to) { return to.op("Mul", to.x, erf_plus_one(to)); },
      [](Draft& to) { return to.op("Mul", to.op("Mul", to.x, erf_plus_one(to)), 0.51F); },
      [&](Draft& to) { return to.op("Mul", to.op("Mul", to.x, error_of(to, 1.4145F)), 0.5F); },
      [](Draft& to) { return to.op("Mul", to.op("Mul", "in", erf_plus_one(to)), 0.5F); },
      [](Draft& to) {
        const std::string more = to.op("Add", erf_plus_one(to), 0.1F);
        return to.op("Mul", to.op("Mul", to.x, more), 0.5F);
      }};
  for (const Written& written : all) CHECK(activation_of(written).kind == Kind::none);
}

TEST_CASE("Swish and HardSwish that are written out are one activation each") {
  CHECK(activation_of([](Draft& to) {
          return to.op("Div", to.x, to.op("Add", 1.0F, to.op("Exp", to.op("Neg", to.x))));
        }).kind == Kind::silu);
  const Activation quick = activation_of(
      [](Draft& to) { return to.op("Mul", to.x, to.op("Sigmoid", to.op("Mul", 1.702F, to.x))); });
  CHECK(quick == Activation{.kind = Kind::swish, .alpha = 1.702F});
  const auto clipped = [](Draft& to) {
    const std::string sum = to.op("Add", to.x, 3.0F);
    return to.graph.node("Clip", {sum, to.number(0.0F), to.number(6.0F)});
  };
  const std::vector<Written> all{
      [&](Draft& to) { return to.op("Div", to.op("Mul", to.x, clipped(to)), 6.0F); },
      [&](Draft& to) { return to.op("Mul", to.x, to.op("Div", clipped(to), 6.0F)); },
      [&](Draft& to) { return to.op("Mul", to.op("Mul", clipped(to), 1.0F / 6.0F), to.x); }};
  for (const Written& written : all) CHECK(activation_of(written).kind == Kind::hard_swish);
  CHECK(activation_of([&](Draft& to) { return to.op("Mul", to.x, clipped(to)); }).kind ==
        Kind::none);
}

TEST_CASE("Normalisations that are written out have the layers of their operators") {
  const auto whole = layers_of([](Draft& to) {
    return to.graph.node("LayerNormalization", {to.x, to.graph.floats({6}, {1, 2, 3, 4, 5, 6}),
                                                to.graph.floats({6}, {6, 5, 4, 3, 2, 1})});
  });
  for (const bool by_inverse : {false, true}) {
    CHECK(
        layers_of([&](Draft& to) {
          const std::string centred = to.op("Sub", to.x, mean(to, to.x));
          const std::string variance = mean(to, to.op("Pow", centred, 2.0F));
          const std::string root = to.op("Sqrt", to.op("Add", variance, 1e-5F));
          const std::string normal = by_inverse ? to.op("Mul", centred, to.op("Reciprocal", root))
                                                : to.op("Div", centred, root);
          const std::string scaled = to.op("Mul", normal, to.graph.floats({6}, {1, 2, 3, 4, 5, 6}));
          return to.op("Add", scaled, to.graph.floats({6}, {6, 5, 4, 3, 2, 1}));
        }) == whole);
  }
  const auto by_square = [](Draft& to, bool by_inverse) {
    const std::string power = mean(to, to.op("Pow", to.x, 2.0F));
    const std::string root = to.op("Sqrt", to.op("Add", power, 1e-6F));
    const std::string normal =
        by_inverse ? to.op("Mul", to.op("Div", 1.0F, root), to.x) : to.op("Div", to.x, root);
    return to.op("Mul", to.graph.floats({6}, {1, 2, 3, 4, 5, 6}), normal);
  };
  for (const bool by_inverse : {false, true})
    CHECK(layers_of([&](Draft& to) { return by_square(to, by_inverse); }) ==
          std::vector<std::string>{"Convolution", "Binary", "Reduction", "Binary", "Binary",
                                   "Binary"});
}

TEST_CASE("A scale of a product of two values goes to its first operand, and into its layer") {
  const auto attention = [](bool behind) {
    Draft draft;
    OnnxGraph& graph = draft.graph;
    const std::string weights = graph.floats({4, 4, 1, 1}, std::vector<float>(16, 0.25F));
    const auto rows = [&](const std::string& map) {
      return graph.node("Reshape", {map, graph.integers({1, 4, 36})});
    };
    const std::string queries = graph.node("Transpose", {rows(draft.x)}, {{"perm", Dims{0, 2, 1}}});
    const std::string keys = rows(graph.node("Conv", {"in", weights}));
    std::string scores = graph.node("MatMul", {queries, keys});
    if (behind) scores = draft.op("Div", scores, 2.0F);
    return must_read(graph, graph.node("Softmax", {scores}, {{"axis", int64_t{-1}}}));
  };
  const Model model = attention(true);
  CHECK(kinds(model) == kinds(attention(false)));
  const auto& op = std::get<Convolution>(model.layers[0].op);
  CHECK(model.at(op.weights)[0] == 0.25F);
}

TEST_CASE("Transposes that cancel are no layers, whatever lies between them") {
  Draft draft;
  OnnxGraph& graph = draft.graph;
  std::string value = graph.node("Transpose", {draft.x}, {{"perm", Dims{0, 2, 3, 1}}});
  value = graph.node("Transpose", {value}, {{"perm", Dims{0, 2, 1, 3}}});
  value = graph.node("Tanh", {graph.node("Abs", {value})});
  value = graph.node("Transpose", {value}, {{"perm", Dims{0, 2, 1, 3}}});
  value = graph.node("Transpose", {value}, {{"perm", Dims{0, 3, 1, 2}}});
  const std::string weights = graph.floats({4, 4, 3, 3}, std::vector<float>(144, 0.5F));
  const Model model = must_read(graph, graph.node("Conv", {value, weights}));
  CHECK(kinds(model) == std::vector<std::string>{"Convolution", "Elementwise", "Convolution"});
}

TEST_CASE("A normalisation between two transposes moves nothing, as ConvNeXt's has it") {
  Draft draft;
  OnnxGraph& graph = draft.graph;
  std::string value = graph.node("Transpose", {draft.x}, {{"perm", Dims{0, 2, 3, 1}}});
  value = graph.node("LayerNormalization",
                     {value, graph.floats({4}, {1, 2, 3, 4}), graph.floats({4}, {4, 3, 2, 1})});
  value = graph.node("Transpose", {value}, {{"perm", Dims{0, 3, 1, 2}}});
  const std::string weights = graph.floats({4, 1, 3, 3}, std::vector<float>(36, 0.5F));
  value = graph.node("Conv", {value, weights}, {{"group", int64_t{4}}});
  const Model model = must_read(graph, value, 17);
  CHECK(kind_counts(model) == Kinds{{"Convolution", 2}, {"Reduction", 2}, {"Binary", 4}});
}

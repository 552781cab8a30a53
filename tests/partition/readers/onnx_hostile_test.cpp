// ONNX bytes that nobody should send: each is refused with a sentence, quickly and in little
// memory, or read as the sound model that it happens to be.
#include <doctest/doctest.h>

#include <limits>

#include "partition/readers/onnx.hpp"
#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;

namespace {

constexpr OnnxLimits limits{.max_constant_bytes = 16 << 20};  // quickly reached

Result<Model> read(std::string_view file) {
  return read_onnx(std::as_bytes(std::span(file)), limits);
}

std::string refusal(const std::string& file) {
  const Result<Model> result = read(file);
  return result.ok() ? "it was read" : result.error();
}

bool holds(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != std::string::npos;
}

// The answer to a graph from "in" to "out" with the nodes that `draw` adds.
template <class Draw>
std::string drawn(Draw draw) {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  draw(graph);
  graph.output("out", {});
  return refusal(graph.file());
}

// A refusal is a sentence of bounded length; what is read is sound.
void check_outcome(std::string_view file) {
  const Result<Model> result = read(file);
  if (result.ok()) {
    CHECK(defects(*result).empty());
  } else {
    CHECK(result.error().size() > 10);
    CHECK(result.error().size() < 2000);
    CHECK(result.failure().kind == ErrorKind::bad_input);
  }
}

std::string small_file(uint64_t seed) {
  networks::Random random(seed);
  return networks::to_onnx(networks::random_model(random));
}

// The refusal of the graph that `draw` adds to an input of 1x4x6x6 and an output.
template <class Draw>
std::string refusal_of(Draw draw) {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  draw(graph);
  graph.output("out", {});
  return refusal(graph.file());
}

// One node on an input of 1x4x6x6.
struct OneNode {
  OnnxGraph graph;

  OneNode() { graph.input("in", {1, 4, 6, 6}, ElementType::f32); }

  std::string refusal_of(std::string_view op, std::vector<std::string> more_inputs,
                         const networks::OnnxAttributes& attributes = {}) {
    more_inputs.insert(more_inputs.begin(), "in");
    graph.node(op, more_inputs, attributes, "out");
    graph.output("out", {});
    return refusal(graph.file());
  }
};

}  // namespace

TEST_CASE("A file cut off anywhere is refused or read, never worse") {
  for (const uint64_t seed : {1U, 2U, 3U}) {
    const std::string file = small_file(seed);
    const size_t step = std::max<size_t>(file.size() / 400, 1);
    for (size_t length = 0; length < file.size(); length += step) {
      CAPTURE(length);
      check_outcome(std::string_view(file).substr(0, length));
    }
    // The structure at the front, byte by byte.
    for (size_t length = 0; length < std::min<size_t>(file.size(), 600); ++length) {
      check_outcome(std::string_view(file).substr(0, length));
    }
  }
}

TEST_CASE("A file with bytes changed at random is refused or read, never worse") {
  int refused = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    std::string file = small_file(seed % 20);
    for (int32_t changes = random.between(1, 8); changes > 0; --changes) {
      const auto last = static_cast<int32_t>(file.size()) - 1;
      // Half of the changes fall on the structure, which stands before the weights.
      const int32_t place = random.between(0, random.chance(0.5) ? std::min(last, 1500) : last);
      file[static_cast<size_t>(place)] = static_cast<char>(random.next());
    }
    check_outcome(file);
    refused += read(file).ok() ? 0 : 1;
  }
  CHECK(refused > 500);
}

TEST_CASE("What is no ONNX file at all is refused") {
  CHECK(holds(refusal(""), "no graph"));
  CHECK_FALSE(read("this is a text, not a model").ok());
  CHECK_FALSE(read(std::string(100'000, '\0')).ok());
  CHECK_FALSE(read(std::string(100'000, '\xff')).ok());
}

TEST_CASE("An operator that shingle does not support is named with its node") {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  graph.node("Unique", {"in"}, {}, "out");
  graph.output("out", {});
  const std::string sentence = refusal(graph.file());
  CHECK(holds(sentence, "node 'Unique_0' uses operator Unique, which shingle does not support"));
  CHECK(sentence.size() < 250);
}

TEST_CASE("Dimensions that are negative, huge or dynamic are refused by the input's name") {
  const auto of_input = [](const Dims& dims) {
    OnnxGraph graph;
    graph.input("in", dims, ElementType::f32);
    graph.node("Relu", {"in"}, {}, "out");
    graph.output("out", {});
    return refusal(graph.file());
  };
  CHECK(of_input({0, 3, 8, 8}) == "it was read");  // a batch that is left open is 1
  CHECK(of_input({-1, 3, 8, 8}) == "it was read");
  CHECK(of_input({1, 3, -1, 8}) ==
        "input 'in' is 1 x 3 x ? x 8, and the file does not say its dimension 2");
  CHECK(of_input({4, 3, 8, 8}) == "it was read");  // Relu does not ask what the 4 are
  CHECK(holds(of_input({1, 3, int64_t{1} << 40, 8}), "input 'in'"));
  CHECK(holds(of_input({1, 1 << 20, 1 << 20, 1 << 20}), "input 'in'"));
  CHECK(holds(of_input({1, 3, INT64_MAX, INT64_MAX}), "input 'in'"));
  CHECK(holds(of_input(Dims(40, 1)), "dimensions"));
}

TEST_CASE("An operator's numbers out of range are refused by its node") {
  const std::vector<float> ones(4 * 4 * 9, 1.0F);
  const auto conv = [&](const networks::OnnxAttributes& attributes) {
    OneNode file;
    const std::string weights = file.graph.floats({4, 4, 3, 3}, ones);
    return file.refusal_of("Conv", {weights}, attributes);
  };
  CHECK(conv({{"pads", Dims{1, 1, 1, 1}}}) == "it was read");
  for (const int64_t bad : {int64_t{-1}, int64_t{0}, int64_t{1} << 30, INT64_MAX, INT64_MIN}) {
    CAPTURE(bad);
    CHECK(holds(conv({{"strides", Dims{bad, 1}}}), "(Conv): its strides"));
    CHECK(holds(conv({{"dilations", Dims{1, bad}}}), "(Conv): its dilations"));
    CHECK(holds(conv({{"group", bad}}), "(Conv): "));
    if (bad != 0) CHECK(holds(conv({{"pads", Dims{bad, 0, 0, 0}}}), "(Conv): its padding"));
  }
  CHECK(holds(conv({{"pads", Dims{1}}}), "(Conv): its pads has 1 numbers"));
  CHECK(holds(conv({{"kernel_shape", Dims{5, 5}}}), "(Conv): its kernel_shape"));
  CHECK(holds(conv({{"dilations", Dims{9, 9}}}), "0x0"));  // the window does not fit

  const auto with = [](std::string_view op, auto operand,
                       const networks::OnnxAttributes& attributes = {}) {
    OneNode file;
    return file.refusal_of(op, {operand(file.graph)}, attributes);
  };
  const auto list = [](Dims values) {
    return [=](OnnxGraph& graph) { return graph.integers(values); };
  };
  CHECK(holds(with("Reshape", list({1, 5, -1})), "(Reshape): it makes 1x4x6x6 into"));
  CHECK(holds(with("Reshape", list({-1, -1})), "(Reshape): "));
  CHECK(holds(with("Reshape", list({INT64_MAX, INT64_MAX, 4})), "elements"));
  CHECK(holds(with("Gather", list({4}), {{"axis", int64_t{1}}}), "(Gather): its index 4"));
  CHECK(holds(with("Gather", list({0}), {{"axis", int64_t{9}}}), "(Gather): its axis 9"));
  CHECK(holds(with("ReduceSum", list({INT64_MIN})), "(ReduceSum): its axis"));
  CHECK(holds(with("Pad", list(Dims(8, int64_t{1} << 40))), "(Pad): its pads"));
  CHECK(holds(with("Unsqueeze", list(Dims(100, 0))), "(Unsqueeze): "));
  const auto scales = [](float scale) {
    return [=](OnnxGraph& graph) { return graph.floats({4}, {1, 1, scale, scale}); };
  };
  for (const float bad : {-1.0F, 0.0F, 1e30F, std::numeric_limits<float>::quiet_NaN()}) {
    OneNode file;
    const std::string sentence = file.refusal_of("Resize", {"", scales(bad)(file.graph)});
    CHECK(holds(sentence, "(Resize): "));
  }
}

TEST_CASE("Constants that a file computes are bounded, whatever the size of the file") {
  const auto grown = [](std::string_view op, const Dims& dims, int64_t rounds) {
    OnnxGraph graph;
    graph.input("in", {1, 4, 6, 6}, ElementType::f32);
    std::string sum = "in";
    for (int64_t i = 0; i < rounds; ++i) {
      const std::string big = graph.node(op, {graph.integers(dims)});
      sum = graph.node("Add", {sum, graph.node("Shape", {big})});
    }
    graph.node("Identity", {sum}, {}, "out");
    graph.output("out", {});
    return refusal(graph.file());
  };
  CHECK(holds(grown("ConstantOfShape", {1 << 15, 1 << 15}, 1), "computes take more than 16 MiB"));
  CHECK(holds(grown("ConstantOfShape", {INT64_MAX}, 1), "elements"));
  CHECK(holds(grown("ConstantOfShape", {-1}, 1), "negative"));
  CHECK(holds(grown("ConstantOfShape", {1 << 20}, 1000), "computes take more than 16 MiB"));
}

TEST_CASE("Work that a file can ask for again and again is bounded") {
  // A list of half a million numbers handed on by many nodes.
  CHECK(holds(refusal_of([](OnnxGraph& graph) {
                std::string list = graph.integers(Dims(500'000, 1));
                for (int i = 0; i < 100; ++i) list = graph.node("Identity", {list});
                graph.node("Add", {"in", list}, {}, "out");
              }),
              "computes take more than 16 MiB"));
  CHECK(holds(refusal_of([](OnnxGraph& graph) {
                const std::string list = graph.integers(Dims(5000, 1));
                graph.node("Reshape", {"in", list}, {}, "out");
              }),
              "not a short list"));
  // A slice of a slice of one constant dimension, in one node: the second sees what the first left.
  CHECK(refusal_of([](OnnxGraph& graph) {
          const std::string part =
              graph.node("Slice", {graph.integers({1, 2, 3, 4, 6, 6, 1, 1}), graph.integers({4}),
                                   graph.integers({100}), graph.integers({0})});
          const std::string reshaped = graph.node("Reshape", {part, graph.integers({4, 1})});
          const std::string twice = graph.node(
              "Slice",
              {reshaped, graph.integers({1, 1}), graph.integers({9, 9}), graph.integers({0, 0})});
          graph.node(
              "Reshape",
              {"in", graph.node("Concat", {graph.node("Squeeze", {twice}), graph.integers({-1})},
                                {{"axis", int64_t{0}}})},
              {}, "out");
        }) == "it was read");
}

TEST_CASE("A small constant spread over a huge map is refused before its places are listed") {
  OnnxGraph graph;
  graph.input("in", {1, 1 << 15, 1 << 15, 1, 1}, ElementType::f32);
  const std::string row = graph.floats({1 << 15, 1, 1}, std::vector<float>(1 << 15, 1.0F));
  graph.node("Add", {"in", row}, {}, "out");
  graph.output("out", {});
  CHECK(holds(refusal(graph.file()), "computes take more than 16 MiB"));
}

TEST_CASE("Values that are missing, made twice or read in a circle are named") {
  CHECK(holds(refusal_of([](OnnxGraph& graph) {
                graph.node("Conv", {"in", "weights"}, {}, "out");
              }),
              "it reads 'weights', which nothing before it makes"));
  CHECK(holds(refusal_of([](OnnxGraph& graph) {
                graph.node("Add", {"in", "b"}, {}, "a");
                graph.node("Relu", {"a"}, {}, "b");
                graph.node("Relu", {"b"}, {}, "out");
              }),
              "it reads 'b', which nothing before it makes"));
  CHECK(holds(refusal_of([](OnnxGraph& graph) { graph.node("Relu", {"out"}, {}, "out"); }),
              "it reads 'out'"));
  CHECK(holds(refusal_of([](OnnxGraph& graph) {
                graph.node("Relu", {"in"}, {}, "out");
                graph.node("Abs", {"in"}, {}, "out");
              }),
              "makes the value 'out' twice"));
  CHECK(holds(refusal_of([](OnnxGraph& graph) { graph.node("Relu", {"in"}, {}, "other"); }),
              "nothing in the ONNX file makes its output 'out'"));
  CHECK(holds(refusal_of([](OnnxGraph& graph) { graph.node("Relu", {}, {}, "out"); }),
              "its input 0 is missing"));
  CHECK(holds(refusal_of([](OnnxGraph& graph) {
                graph.node("Identity", {graph.floats({0}, {})}, {}, "out");
              }),
              "output 'out' is a constant: its output would be 0"));
}

TEST_CASE("A tensor that holds fewer or more elements than its dims say is refused") {
  OneNode file;
  const std::string weights = file.graph.floats({4, 4, 3, 3}, std::vector<float>(7, 1.0F));
  CHECK(holds(file.refusal_of("Conv", {weights}), "does not hold as many elements"));
}

TEST_CASE("Opsets that shingle does not read are refused by number") {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  graph.node("Relu", {"in"}, {}, "out");
  graph.output("out", {});
  CHECK(holds(refusal(graph.file(5)), "opset 5"));
  CHECK(holds(refusal(graph.file(27)), "opset 27, and shingle reads 6 to 26"));
  CHECK(holds(refusal(graph.file(27)), "--opset 26"));
  for (const int64_t opset : {6, 17, 18, 26}) CHECK(refusal(graph.file(opset)) == "it was read");
}

TEST_CASE("One node of very many operands makes no more layers than the limit on nodes allows") {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  graph.node("Sum", std::vector<std::string>(5000, "in"), {}, "out");
  graph.output("out", {});
  const std::string file = graph.file();
  const Result<Model> model = read_onnx(std::as_bytes(std::span(file)), {.max_nodes = 1000});
  REQUIRE_FALSE(model.ok());
  CHECK(holds(model.error(), "more than 4000 layers"));
}

TEST_CASE("A join of very many operands is refused") {
  OnnxGraph graph;
  graph.input("in", {1, 1, 2, 2}, ElementType::f32);
  graph.node("Concat", std::vector<std::string>(100'000, "in"), {{"axis", int64_t{1}}}, "out");
  graph.output("out", {});
  CHECK(holds(refusal(graph.file()), "(Concat): it joins more than 4096 operands"));
}

TEST_CASE("Limits on nodes hold") {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  std::string last = "in";
  for (int i = 0; i < 50; ++i) last = graph.node("Relu", {last});
  graph.node("Relu", {last}, {}, "out");
  graph.output("out", {});
  const std::string file = graph.file();
  const Result<Model> few = read_onnx(std::as_bytes(std::span(file)), {.max_nodes = 20});
  REQUIRE_FALSE(few.ok());
  CHECK(holds(few.error(), "more than 20 nodes"));
  CHECK(read(file).ok());
}

TEST_CASE("Names that a terminal or JSON could not bear become readable") {
  OnnxGraph graph;
  graph.input("in\x1b[2J", {1, 4, 6, 6}, ElementType::f32);
  graph.node("Relu", {"in\x1b[2J"}, {}, "bad \xff\xc0\xaf, good \xc3\xa9");
  graph.output("bad \xff\xc0\xaf, good \xc3\xa9", {});
  const std::string file = graph.file();
  const Result<Model> model = read(file);
  REQUIRE(model.ok());
  CHECK(model->at(model->inputs[0]).name == "in?[2J");
  CHECK(model->outputs[0].name == "bad ???, good \xc3\xa9");
}

// Functions of the file, branches that are known when it is read, and lists of operators that are
// not read.
#include <doctest/doctest.h>

#include "tests/networks/onnx_graph.hpp"
#include "tests/partition/readers/onnx_reading.hpp"

using namespace shingle;
using networks::OnnxGraph;
using networks::OnnxInner;
using networks::OnnxReference;
using Kinds = std::map<std::string, int>;

namespace {

std::string refusal(const OnnxGraph& graph) {
  const Result<Model> model = read(graph.file());
  return model.ok() ? "it was read" : model.error();
}

bool holds(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != std::string::npos;
}

std::vector<OnnxUnread> unread(const OnnxGraph& graph) {
  const std::string file = graph.file();
  return onnx_unread(std::as_bytes(std::span(file)));
}

OnnxGraph with_input() {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  return graph;
}

// y = LeakyRelu(x) with the caller's slope, else 0.25.
std::string leaky() {
  OnnxGraph body;
  body.node("LeakyRelu", {"x"}, {{"alpha", OnnxReference{"slope"}}}, "y");
  return body.function(
      {.name = "own::Leaky", .inputs = {"x"}, .outputs = {"y"}, .defaults = {{"slope", 0.25F}}});
}

// A graph of one node `op`, from the outer value `from` to its output.
OnnxInner one_node(std::string_view op, const std::string& from) {
  OnnxGraph inner;
  inner.node(op, {from}, {}, "result");
  inner.output("result", {});
  return {inner.graph()};
}

// Whether dimension `dim` of the input, 1x4x6x6, is 4, as exporters ask.
std::string is_four(OnnxGraph& graph, int64_t dim) {
  const std::string size = graph.node(
      "Gather", {graph.node("Shape", {"in"}), graph.integers({dim})}, {{"axis", int64_t{0}}});
  return graph.node("Equal", {size, graph.integers({4})});
}

}  // namespace

TEST_CASE("A function of the file is inlined where it is called, with the caller's attributes") {
  OnnxGraph graph = with_input();
  graph.add_function(leaky());
  const std::string first = graph.node("own::Leaky", {"in"}, {{"slope", 0.5F}});
  graph.node("own::Leaky", {first}, {}, "out");
  graph.output("out", {1, 4, 6, 6});
  const Result<Model> model = read(graph.file());
  REQUIRE_MESSAGE(model.ok(), refusal(graph));
  REQUIRE(model->layers.size() == 2);
  CHECK(model->layers[0].activation.alpha == 0.5F);
  CHECK(model->layers[1].activation.alpha == 0.25F);
  CHECK(model->layers[0].name == "Leaky_1/LeakyRelu_0");
}

TEST_CASE("Functions call functions, and values inside two calls stay apart") {
  OnnxGraph inner, outer, graph = with_input();
  inner.node("Relu", {inner.node("Neg", {"a"}, {}, "t")}, {}, "b");
  outer.node("Add",
             {outer.node("own::Inner", {"x"}, {}, "t"), outer.node("own::Inner", {"z"}, {}, "u")},
             {}, "y");
  graph.add_function(
      outer.function({.name = "own::Outer", .inputs = {"x", "z"}, .outputs = {"y"}}));
  graph.add_function(inner.function({.name = "own::Inner", .inputs = {"a"}, .outputs = {"b"}}));
  const std::string once = graph.node("own::Outer", {"in", "in"});
  graph.node("own::Outer", {once, "in"}, {}, "out");
  graph.output("out", {1, 4, 6, 6});
  const Result<Model> model = read(graph.file());
  REQUIRE_MESSAGE(model.ok(), refusal(graph));
  // Neg and Relu four times; the first sum takes one Neg along.
  CHECK(kind_counts(*model) == Kinds{{"Elementwise", 7}, {"Binary", 2}});
}

TEST_CASE("A function's output may be its input") {
  OnnxGraph body, graph = with_input();
  body.node("Relu", {"x"}, {}, "y");
  graph.add_function(body.function({.name = "own::Both", .inputs = {"x"}, .outputs = {"x", "y"}}));
  graph.node_with_outputs("own::Both", {"in"}, {}, {"same", "other"});
  graph.node("Add", {"same", "other"}, {}, "out");
  graph.output("out", {1, 4, 6, 6});
  const Result<Model> model = read(graph.file());
  REQUIRE_MESSAGE(model.ok(), refusal(graph));
  CHECK(kind_counts(*model) == Kinds{{"Elementwise", 1}, {"Binary", 1}});
}

TEST_CASE("A function is read by its own opset") {
  OnnxGraph body, graph = with_input();
  // Clip's limits are attributes until opset 10.
  body.node("Clip", {"x"}, {{"min", 0.5F}, {"max", 2.0F}}, "y");
  OnnxGraph::Signature signature{.name = "own::Old", .inputs = {"x"}, .outputs = {"y"}};
  signature.opset = 10;
  graph.add_function(body.function(signature));
  graph.node("own::Old", {"in"}, {}, "out");
  graph.output("out", {1, 4, 6, 6});
  const Result<Model> model = read(graph.file());
  REQUIRE_MESSAGE(model.ok(), refusal(graph));
  const Activation limits{.kind = Activation::Kind::clip, .alpha = 0.5F, .beta = 2.0F};
  CHECK(model->layers[0].activation == limits);
  signature.opset = 99;
  OnnxGraph late = with_input();
  late.add_function(body.function(signature));
  late.node("own::Old", {"in"}, {}, "out");
  late.output("out", {});
  CHECK(holds(refusal(late), "node 'Old_0' (Old): its function uses opset 99"));
}

TEST_CASE("Functions that call each other without end, or grow without bound, are refused") {
  OnnxGraph body, graph = with_input();
  body.node("own::Again", {"x"}, {}, "y");
  graph.add_function(body.function({.name = "own::Again", .inputs = {"x"}, .outputs = {"y"}}));
  graph.node("own::Again", {"in"}, {}, "out");
  graph.output("out", {});
  CHECK(holds(refusal(graph), "(Again): the file's functions call each other more than 32 deep"));

  OnnxGraph doubling = with_input();
  for (int level = 0; level < 30; ++level) {
    OnnxGraph twice;
    const std::string next = "own::F" + std::to_string(level + 1);
    twice.node(next, {twice.node(next, {"x"}, {}, "t")}, {}, "y");
    doubling.add_function(twice.function(
        {.name = "own::F" + std::to_string(level), .inputs = {"x"}, .outputs = {"y"}}));
  }
  OnnxGraph end;
  end.node("Relu", {"x"}, {}, "y");
  doubling.add_function(end.function({.name = "own::F30", .inputs = {"x"}, .outputs = {"y"}}));
  doubling.node("own::F0", {"in"}, {}, "out");
  doubling.output("out", {});
  CHECK(holds(refusal(doubling), "make more than 100000 nodes"));
}

TEST_CASE("A function that does not fit its call is refused by the call's name") {
  const auto called = [](const OnnxGraph::Signature& signature, std::vector<std::string> inputs,
                         std::vector<std::string> outputs) {
    OnnxGraph body, graph = with_input();
    body.node("Relu", {"x"}, {}, "y");
    graph.add_function(body.function(signature));
    graph.node_with_outputs(signature.name, inputs, {}, outputs);
    graph.output("out", {});
    return refusal(graph);
  };
  CHECK(called({.name = "own::F", .inputs = {"x"}, .outputs = {"y"}}, {"in"}, {"out"}) ==
        "it was read");
  CHECK(holds(called({.name = "own::F", .inputs = {"x"}, .outputs = {"y"}}, {"in", "in"}, {"out"}),
              "node 'F_0' (F): it gives 2 inputs to a function that takes 1"));
  CHECK(holds(called({.name = "own::F", .inputs = {"x"}, .outputs = {"y"}}, {"in"}, {"out", "b"}),
              "node 'F_0' (F): it has 2 outputs"));
  // "in" lies outside the function.
  CHECK(holds(called({.name = "own::F", .inputs = {"in"}, .outputs = {"y"}}, {"in"}, {"out"}),
              "node 'F_0' (F): its function reads 'x', which it does not make"));
}

TEST_CASE("An If whose condition follows from sizes takes its branch") {
  for (const bool four : {true, false}) {
    CAPTURE(four);
    OnnxGraph graph = with_input();
    const std::string condition = is_four(graph, four ? 1 : 2);
    graph.node("Neg", {"in"}, {}, "outer");
    graph.node("If", {condition},
               {{"then_branch", one_node("Relu", "outer")},
                {"else_branch", one_node("Unheard", "never made")}},
               "out");
    graph.output("out", {1, 4, 6, 6});
    if (!four) {
      CHECK(holds(refusal(graph), "uses operator Unheard"));
      continue;
    }
    const Result<Model> model = read(graph.file());
    REQUIRE_MESSAGE(model.ok(), refusal(graph));
    REQUIRE(model->layers.size() == 2);
    CHECK(model->layers[1].activation.kind == Activation::Kind::relu);
  }
}

TEST_CASE("Branches within branches and functions are taken, with the constants that they hold") {
  OnnxGraph innermost, middle, body, graph = with_input();
  innermost.node("Mul", {"x", innermost.floats({1, 4, 1, 1}, {1, 2, 3, 4})}, {}, "result");
  innermost.output("result", {});
  middle.node("Neg", {"x"}, {}, "negative");
  middle.node("If", {"condition"},
              {{"then_branch", one_node("Relu", "negative")},
               {"else_branch", OnnxInner{innermost.graph()}}},
              "result");
  middle.output("result", {});
  body.node("Not", {"condition"}, {}, "otherwise");
  body.node("If", {"otherwise"},
            {{"then_branch", one_node("Abs", "x")}, {"else_branch", OnnxInner{middle.graph()}}},
            "y");
  graph.add_function(
      body.function({.name = "own::F", .inputs = {"x", "condition"}, .outputs = {"y"}}));
  const std::string first = graph.node("own::F", {"in", is_four(graph, 1)});
  graph.node("own::F", {first, is_four(graph, 2)}, {}, "out");
  graph.output("out", {1, 4, 6, 6});
  const Result<Model> model = read(graph.file());
  REQUIRE_MESSAGE(model.ok(), refusal(graph));
  // The first call: Relu(Neg(x)). The second: Abs.
  REQUIRE(kind_counts(*model) == Kinds{{"Elementwise", 3}});
  CHECK(model->layers[0].activation.kind == Activation::Kind::neg);
  CHECK(model->layers[1].activation.kind == Activation::Kind::relu);
  CHECK(model->layers[2].activation.kind == Activation::Kind::abs);
}

TEST_CASE("A branch's own tensors are constants of the network") {
  OnnxGraph inner, graph = with_input();
  inner.node("Conv", {"in", inner.floats({2, 4, 1, 1}, std::vector<float>(8, 0.5F))}, {}, "result");
  inner.output("result", {});
  graph.node("If", {is_four(graph, 1)},
             {{"then_branch", OnnxInner{inner.graph()}}, {"else_branch", one_node("Relu", "in")}},
             "out");
  graph.output("out", {1, 2, 6, 6});
  const Result<Model> model = read(graph.file());
  REQUIRE_MESSAGE(model.ok(), refusal(graph));
  CHECK(kind_counts(*model) == Kinds{{"Convolution", 1}});
}

TEST_CASE("An If that asks the frame computes both branches, which must make values of one size") {
  const auto asking = [](const OnnxInner& otherwise) {
    OnnxGraph graph = with_input();
    graph.node("If", {graph.node("ReduceMax", {"in"}, {{"keepdims", int64_t{0}}})},
               {{"then_branch", one_node("Relu", "in")}, {"else_branch", otherwise}}, "out");
    graph.output("out", {});
    return graph;
  };
  const Result<Model> model = read(asking(one_node("Neg", "in")).file());
  REQUIRE_MESSAGE(model.ok(), model.error());
  CHECK(kind_counts(*model) == Kinds{{"Reduction", 2}, {"Elementwise", 2}, {"Binary", 3}});
  OnnxGraph pooled = asking(one_node("GlobalMaxPool", "in"));
  CHECK(holds(refusal(pooled), "(If): its branches make 1x4x6x6 and 1x4x1x1"));
  OnnxGraph unread = asking(one_node("Unheard", "in"));
  CHECK(holds(refusal(unread), "uses operator Unheard"));
}

TEST_CASE("Graphs nested too deep are refused") {
  OnnxInner inner = one_node("Relu", "in");
  for (int depth = 0; depth < 20; ++depth) {
    OnnxGraph around;
    around.node("If", {"condition"}, {{"then_branch", inner}, {"else_branch", inner}}, "result");
    around.output("result", {});
    inner = {around.graph()};
    if (inner.encoded.size() > 100'000) break;
  }
  OnnxGraph graph = with_input();
  graph.node("If", {is_four(graph, 1)}, {{"then_branch", inner}, {"else_branch", inner}}, "out");
  graph.output("out", {});
  CHECK(holds(refusal(graph), "graphs within graphs more than 8 deep"));
}

TEST_CASE("All operators that are not read are named at once, with a count and the first node") {
  OnnxGraph graph = with_input();
  std::string value = graph.node("Unique", {"in"});
  value = graph.node("other.domain::Conv", {value});
  value = graph.node("Unique", {value});
  graph.node("Dead", {"in"});
  graph.node("Relu", {value}, {}, "out");
  graph.output("out", {});
  const std::vector<OnnxUnread> expected{
      {.op = "Unique", .nodes = 2, .first = "Unique_1"},
      {.op = "other.domain.Conv", .nodes = 1, .first = "Conv_3"}};
  CHECK(unread(graph) == expected);
  CHECK(
      refusal(graph) ==
      "the network uses 2 operators that shingle does not support: Unique (2 nodes, the first is "
      "'Unique_1') and other.domain.Conv (node 'Conv_3'); rewrite those parts of the network with "
      "convolutions, pooling, element-wise operators, reshapes or slices");
}

TEST_CASE("The sentence about operators that are not read stays short, the list is whole") {
  OnnxGraph graph = with_input();
  std::string value = "in";
  for (int i = 0; i < 40; ++i)
    value = graph.node("Unheard" + std::to_string(i) + std::string(300, 'o'), {value});
  graph.output(value, {});
  CHECK(unread(graph).size() == 40);
  CHECK(refusal(graph).size() < 2000);
  CHECK(holds(refusal(graph), " and 32 more; "));
  OnnxGraph fine = with_input();
  fine.output(fine.node("Relu", {"in"}), {});
  CHECK(unread(fine).empty());
}

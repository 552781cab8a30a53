// Sizes that depend on the input, as the reader sees them: what the model's outputs say of them,
// what is known in spite of them, and what is refused.
#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "tests/partition/readers/onnx_reading.hpp"

using namespace shingle;
using networks::OnnxGraph;
using networks::OnnxInner;
using Dims = std::vector<int64_t>;

namespace {

constexpr int64_t as_float = 1, as_int64 = 7;

// The list of places where the input is not 0: at most 12.
std::string places(OnnxGraph& graph, const std::string& of = "in") {
  return graph.node("Squeeze", {graph.node("NonZero", {of}), graph.integers({0})});
}

std::string count(OnnxGraph& graph, const std::string& list) { return graph.node("Shape", {list}); }

using Draw = std::function<std::string(OnnxGraph&)>;  // returns the output's value

std::string file_of(const Draw& draw, int64_t opset = 13) {
  OnnxGraph graph;
  graph.input("in", {12}, ElementType::f32);
  graph.node("Identity", {draw(graph)}, {}, "out");
  graph.output("out", {});
  return graph.file(opset);
}

std::string answer(const Draw& draw, int64_t opset = 13) {
  const std::string file = file_of(draw, opset);
  const Result<Model> model =
      read_onnx(std::as_bytes(std::span(file)), {.max_constant_bytes = 16 << 20});
  if (!model) return model.error();
  CHECK(defects(*model).empty());
  return "it was read";
}

bool holds(const std::string& sentence, const std::string& part) {
  const bool found = sentence.find(part) != std::string::npos;
  if (!found) MESSAGE(sentence);
  return found;
}

std::string suppression(OnnxGraph& graph, const Dims& boxes, const Dims& scores,
                        const std::vector<std::string>& more) {
  const auto shaped = [&](const Dims& dims) {
    int64_t size = 1;
    for (const int64_t dim : dims) size *= dim;
    const std::string part =
        graph.node("Slice", {"in", graph.integers({0}), graph.integers({size})});
    return graph.node("Reshape", {part, graph.integers(dims)});
  };
  std::vector<std::string> inputs{shaped(boxes), shaped(scores)};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return graph.node("NonMaxSuppression", inputs);
}

}  // namespace

TEST_CASE("An output whose size depends on the input has a count beside it") {
  const std::string file = file_of([](OnnxGraph& graph) { return places(graph); });
  const Result<Model> made = read(file);
  REQUIRE_MESSAGE(made.ok(), made.error());
  const Model& model = *made;
  REQUIRE(model.outputs.size() == 2);
  CHECK(model.outputs[0].dims == Dims{12});
  CHECK(model.outputs[0].counted.size() == 1);
  CHECK(model.outputs[0].counted[0].dim == 0);
  CHECK(model.outputs[0].counted[0].output == 1);
  CHECK(!model.outputs[0].is_only_count);
  CHECK(model.outputs[1].name == "out.count");
  CHECK(model.outputs[1].is_only_count);
}

TEST_CASE("A count has a name of its own, even if the file has an output of its usual name") {
  OnnxGraph graph;
  graph.input("in", {12}, ElementType::f32);
  graph.node("Identity", {places(graph)}, {}, "out");
  graph.node("Relu", {"in"}, {}, "out.count");
  graph.output("out", {});
  graph.output("out.count", {});
  const Result<Model> model = read(graph.file(13));
  REQUIRE_MESSAGE(model.ok(), model.error());
  REQUIRE(model->outputs.size() == 3);
  CHECK(model->outputs[1].name == "out.count");
  CHECK(!model->outputs[1].is_only_count);
  CHECK(model->outputs[2].name == "out.count_");
  CHECK(model->outputs[2].is_only_count);
  CHECK(model->outputs[0].counted[0].output == 2);
}

TEST_CASE("An output of the file that is the count takes its place") {
  OnnxGraph graph;
  graph.input("in", {12}, ElementType::f32);
  const std::string list = places(graph);
  graph.node("Identity", {list}, {}, "list");
  graph.node("Size", {list}, {}, "number");
  graph.output("list", {});
  graph.output("number", {});
  const Result<Model> made = read(graph.file());
  REQUIRE_MESSAGE(made.ok(), made.error());
  const Model& model = *made;
  REQUIRE(model.outputs.size() == 2);
  CHECK(model.outputs[0].counted[0].output == 1);
  CHECK(!model.outputs[1].is_only_count);
}

TEST_CASE("What is added up to a fixed size leaves nothing that depends on the input") {
  const std::string file = file_of([](OnnxGraph& graph) {
    const std::string list = places(graph);
    const std::string missing = graph.node("Sub", {graph.integers({20}), count(graph, list)});
    const std::string pads =
        graph.node("Concat", {graph.integers({0}), missing}, {{"axis", int64_t{0}}});
    return graph.node("Pad", {list, pads});
  });
  const Result<Model> made = read(file);
  REQUIRE_MESSAGE(made.ok(), made.error());
  const Model& model = *made;
  REQUIRE(model.outputs.size() == 1);
  CHECK(model.outputs[0].dims == Dims{20});
}

TEST_CASE("Sizes that cancel out are constants") {
  const std::string file = file_of([](OnnxGraph& graph) {
    const std::string n = count(graph, places(graph));
    const std::string twice = graph.node("Mul", {n, graph.integers({2})});
    const std::string rest = graph.node("Sub", {twice, graph.node("Add", {n, n})});
    const std::string three = graph.node("Add", {rest, graph.integers({3})});
    return graph.node("Reshape", {"in", graph.node("Concat", {three, graph.integers({4})},
                                                   {{"axis", int64_t{0}}})});
  });
  CHECK(read(file)->outputs[0].dims == Dims{3, 4});
}

TEST_CASE("An operator that is not followed is refused with the dim and its largest size") {
  const std::string sentence = answer([](OnnxGraph& graph) {
    const std::string row = graph.node("Unsqueeze", {places(graph), graph.integers({0})});
    return graph.node("Trilu", {row});
  });
  CHECK(holds(sentence,
              "(Trilu): dimension 1 of its input 0 has a size that depends on the "
              "model's input (at most 12)"));
}

TEST_CASE("A size without a largest value is refused") {
  const std::string sentence = answer([](OnnxGraph& graph) {
    const std::string number = graph.node(
        "Cast", {graph.node("ReduceMax", {"in"}, {{"keepdims", int64_t{0}}})}, {{"to", as_int64}});
    return graph.node("Range", {graph.tensor({}, as_int64, std::string(8, '\0')), number,
                                graph.tensor({}, as_int64, std::string("\1\0\0\0\0\0\0\0", 8))});
  });
  CHECK(holds(sentence, "(Range): its input 1 depends on the model's input, and no largest value"));
}

TEST_CASE("Two sizes that are not seen to be equal do not meet") {
  const auto sum = [](const char* second) {
    return answer([&](OnnxGraph& graph) {
      const std::string other = graph.node(second, {"in"});
      return graph.node("Add", {places(graph), places(graph, other)});
    });
  };
  CHECK(holds(sum("Exp"), "(Add): dimension 0 of its operands has two sizes"));
  const std::string of_one = answer([](OnnxGraph& graph) {
    return graph.node("Add", {places(graph), places(graph)});
  });
  CHECK(of_one == "it was read");
}

TEST_CASE("An element that may not be there is not expanded to a fixed size") {
  const std::string sentence = answer([](OnnxGraph& graph) {
    const std::string first =
        graph.node("Slice", {places(graph), graph.integers({0}), graph.integers({1})});
    return graph.node("Expand", {first, graph.integers({5})});
  });
  CHECK(holds(sentence, "(Expand): it repeats a dimension of at most one element"));
}

TEST_CASE("What stands before a dimension may not depend on the input") {
  CHECK(holds(answer([](OnnxGraph& graph) {
                const std::string list = places(graph);
                return graph.node("Slice", {list, count(graph, list), graph.integers({12})});
              }),
              "(Slice): its start depends on the input"));
  CHECK(holds(answer([](OnnxGraph& graph) {
                const std::string list = places(graph);
                const std::string pads = graph.node(
                    "Concat", {count(graph, list), graph.integers({0})}, {{"axis", int64_t{0}}});
                return graph.node("Pad", {list, pads});
              }),
              "(Pad): what it adds before its input depends on the input"));
  CHECK(holds(answer([](OnnxGraph& graph) {
                const std::string list = places(graph);
                return graph.node("Slice", {list, graph.integers({11}), graph.integers({0}),
                                            graph.integers({0}), graph.integers({-1})});
              }),
              "(Slice): its step is not 1"));
}

TEST_CASE("A reshape that cuts a counted dimension up is refused") {
  CHECK(holds(answer([](OnnxGraph& graph) {
                return graph.node("Reshape", {places(graph), graph.integers({3, 4})});
              }),
              "(Reshape): it makes 12 into 3x4, where dimension 0 has a size"));
  CHECK(holds(answer([](OnnxGraph& graph) {
                const std::string twice =
                    graph.node("Mul", {count(graph, places(graph)), graph.integers({1})});
                return graph.node("Reshape", {"in", twice});
              }),
              "(Reshape): "));
}

TEST_CASE("Computed sizes stay within what floats hold exactly") {
  CHECK(holds(answer([](OnnxGraph& graph) {
                std::string n = count(graph, places(graph));
                for (int i = 0; i < 12; ++i) n = graph.node("Mul", {n, graph.integers({100})});
                return graph.node("Expand", {graph.scalar(1.0F), n});
              }),
              "(Mul): it computes with sizes beyond 2^24"));
  CHECK(holds(answer([](OnnxGraph& graph) {
                std::string n = count(graph, places(graph));
                for (int i = 0; i < 12; ++i) n = graph.node("Mul", {n, n});
                return graph.node("Expand", {graph.scalar(1.0F), n});
              }),
              "(Mul): it computes with sizes beyond 2^24"));
}

TEST_CASE("Lists of sizes that double again and again are refused early") {
  const std::string sentence = answer([](OnnxGraph& graph) {
    std::string list = count(graph, places(graph));
    for (int i = 0; i < 40; ++i) list = graph.node("Concat", {list, list}, {{"axis", int64_t{0}}});
    return list;
  });
  CHECK(holds(sentence, "(Concat): "));
}

TEST_CASE("Suppressions that cannot be are refused") {
  const Dims boxes{1, 2, 4}, scores{1, 2, 2};
  const auto with = [&](const Dims& b, const Dims& s, const std::vector<int64_t>& most) {
    return answer([&](OnnxGraph& graph) {
      return suppression(graph, b, s,
                         most.empty() ? std::vector<std::string>()
                                      : std::vector<std::string>{graph.integers(most)});
    });
  };
  CHECK(with(boxes, scores, {3}) == "it was read");
  CHECK(with(boxes, scores, {std::numeric_limits<int64_t>::max()}) == "it was read");
  CHECK(holds(with(boxes, scores, {}), "(NonMaxSuppression): it says no maximum"));
  CHECK(holds(with(boxes, scores, {0}), "(NonMaxSuppression): its maximum of boxes is 0"));
  CHECK(holds(with(boxes, scores, {-5}), "(NonMaxSuppression): its maximum of boxes is -5"));
  CHECK(holds(with(boxes, scores, {1, 2}), "its maximum of boxes is not one integer"));
  CHECK(holds(with({1, 2, 3}, scores, {3}), "its boxes 1x2x3 do not fit its scores 1x2x2"));
  CHECK(holds(with(boxes, {1, 2, 3}, {3}), "do not fit"));
  CHECK(holds(with({2, 4}, scores, {3}), "do not fit"));
}

TEST_CASE("A condition of another length than the input is refused") {
  CHECK(holds(answer([](OnnxGraph& graph) {
                const std::string part =
                    graph.node("Slice", {"in", graph.integers({0}), graph.integers({3})});
                return graph.node("Compress", {part, "in"}, {{"axis", int64_t{0}}});
              }),
              "(Compress): its condition is longer than its input"));
  CHECK(holds(answer([](OnnxGraph& graph) {
                const std::string square = graph.node("Reshape", {"in", graph.integers({3, 4})});
                return graph.node("Compress", {square, square});
              }),
              "(Compress): its condition is 3x4"));
}

TEST_CASE("An If that asks whether there is anything takes the branch for something") {
  const auto choose = [](bool empty, bool rest = false) {
    return answer([&](OnnxGraph& graph) {
      graph.node("Identity", {places(graph)}, {}, "found");
      OnnxGraph none, some;
      none.node("ConstantOfShape",
                {none.node("Constant", {}, {{"value_ints", Dims{empty ? 0 : 5}}})}, {}, "chosen");
      some.node("Cast", {"found"}, {{"to", as_float}}, "chosen");
      none.output("chosen", {});
      some.output("chosen", {});
      const std::string zero = graph.tensor({}, as_int64, std::string(8, '\0'));
      const std::string size = graph.node("Size", {"found"});
      const std::string most = graph.tensor({}, as_int64, '\x0c' + std::string(7, '\0'));
      const std::string asked = rest ? graph.node("Sub", {most, size}) : size;
      return graph.node(
          "If", {graph.node("Equal", {asked, zero})},
          {{"then_branch", OnnxInner{none.graph()}}, {"else_branch", OnnxInner{some.graph()}}});
    });
  };
  CHECK(choose(true) == "it was read");
  CHECK(holds(choose(false), "does not follow such sizes through this operator"));
  // That 12 - n is 0 does not say that there is nothing.
  CHECK(holds(choose(true, true), "does not follow such sizes through this operator"));
}

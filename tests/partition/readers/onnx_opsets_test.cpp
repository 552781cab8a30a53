// Opsets 18 to 26: the opset that is said instead of the file's, and what newer operators refuse.
#include <doctest/doctest.h>

#include <limits>

#include "tests/networks/onnx_graph.hpp"
#include "tests/partition/readers/onnx_reading.hpp"

using namespace shingle;
using networks::OnnxAttributes;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;

namespace {

std::string relu_file(int64_t opset) {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  graph.node("Relu", {"in"}, {}, "out");
  graph.output("out", {});
  return graph.file(opset);
}

Result<Model> read_as_opset(const std::string& file, int64_t opset) {
  return read_onnx(std::as_bytes(std::span(file)), {}, {.opset = opset});
}

// One node in a file of a new opset.
struct Case : OneNode {
  explicit Case(const Dims& dims = {1, 4, 6, 6}, int64_t version = 24) : OneNode(dims, version) {}
};

bool holds(const std::string& sentence, std::string_view part) {
  CAPTURE(sentence);
  return sentence.find(part) != std::string::npos;
}

// The elements of the last layer's constant operand, channels side by side.
std::string text_of_last(const Model& model) {
  std::string text;
  const FloatView values = model.at(*model.at(model.layers.back().inputs[1]).constant);
  for (int64_t i = 0; i < values.count; ++i) {
    text += std::to_string(static_cast<int64_t>(values[i])) + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("A file of a newer opset is read as of an opset that is said, under a name of its own") {
  const std::string file = relu_file(27);
  CHECK_FALSE(read(file).ok());
  const Result<Model> model = read_as_opset(file, 26), older = read_as_opset(file, 18);
  REQUIRE_MESSAGE(model.ok(), model.error());
  REQUIRE_MESSAGE(older.ok(), older.error());
  CHECK(model->hash != older->hash);
  const ModelHash plain = onnx_hash(sha256(std::as_bytes(std::span(file))), {});
  CHECK(model->hash != plain);
  CHECK(opset_behind(model->hash, plain) == 26);
  CHECK(opset_behind(older->hash, plain) == 18);
  CHECK(opset_behind(plain, plain) == 0);
  CHECK(opset_behind(sha256("another"), plain) == std::nullopt);
  CHECK(holds(read_as_opset(file, 27).error(), "opset 27, and shingle reads 6 to 26"));
  CHECK(holds(read_as_opset(file, -1).error(), "opset -1"));
}

TEST_CASE("What an opset says depends on the one that is said") {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  graph.node("ReduceMax", {"in", graph.integers({1})}, {}, "out");
  graph.output("out", {});
  const std::string file = graph.file(18);
  CHECK(read(file)->outputs[0].dims == Dims{1, 1, 6, 6});
  CHECK(read_as_opset(file, 13)->outputs[0].dims == Dims{1, 1, 1, 1});  // axes were an attribute
}

TEST_CASE("Splits into numbers of parts that cannot be are refused") {
  const auto split = [](int64_t parts, size_t outputs) {
    OnnxGraph graph;
    graph.input("in", {1, 4, 6, 6}, ElementType::f32);
    std::vector<std::string> names;
    for (size_t i = 0; i < outputs; ++i) names.push_back("out" + std::to_string(i));
    graph.node_with_outputs("Split", {"in"}, {{"axis", int64_t{1}}, {"num_outputs", parts}}, names);
    graph.output("out0", {});
    const std::string file = graph.file(18);
    const Result<Model> model = read(file);
    return model.ok() ? "it was read" : model.error();
  };
  CHECK(split(2, 2) == "it was read");
  CHECK(split(3, 3) == "it was read");  // 2, 2 and nothing, which nobody reads
  for (const int64_t parts : {int64_t{0}, int64_t{-3}, int64_t{7}, INT64_MAX, INT64_MIN}) {
    CHECK(holds(split(parts, 2), "(Split): it splits 4 into"));
  }
}

TEST_CASE("Resizes of newer opsets refuse axes, scales and policies that make no sense") {
  const auto resize = [](const OnnxAttributes& attributes, const std::vector<float>& scales,
                         const Dims& sizes = {}) {
    Case file({1, 4, 32, 32});
    const auto count = static_cast<int64_t>(scales.size());
    std::vector<std::string> operands{"", sizes.empty() ? file.graph.floats({count}, scales) : ""};
    if (!sizes.empty()) operands.push_back(file.graph.integers(sizes));
    return file.refusal("Resize", operands, attributes);
  };
  const OnnxAttributes twice{{"axes", Dims{2, -2}}}, off{{"axes", Dims{2, 4}}};
  CHECK(holds(resize(twice, {1, 2}), "(Resize): it names an axis twice"));
  CHECK(holds(resize(off, {1, 2}), "(Resize): its axis 4"));
  CHECK(holds(resize({{"axes", Dims{2}}}, {1, 2}), "(Resize): it does not have one scale"));
  const OnnxAttributes filter{{"axes", Dims{2}}, {"mode", "linear"}, {"antialias", int64_t{1}}};
  CHECK(resize(filter, {0.5F}) == "it was read");
  CHECK(holds(resize({{"axes", Dims{2}}, {"mode", "cubic"}, {"antialias", int64_t{1}}}, {0.03125F}),
              "it was read"));
  CHECK(holds(resize(filter, {1e-6F}), "(Resize): "));
  const OnnxAttributes odd{{"keep_aspect_ratio_policy", "square"}},
      smaller{{"keep_aspect_ratio_policy", "not_smaller"}};
  CHECK(holds(resize(odd, {}, {1, 4, 8, 8}), "'square' is not supported"));
  CHECK(holds(resize(smaller, {}, {1, 4, -8, 1 << 20}), "(Resize): "));
  CHECK(holds(resize(smaller, {}, {-1, -4, -8, -8}), "(Resize): "));
}

TEST_CASE("Pads of axes that are named twice, or not there, are refused") {
  const auto pad = [](const Dims& pads, const Dims& axes) {
    Case file;
    return file.refusal("Pad", {file.graph.integers(pads), "", file.graph.integers(axes)},
                        {{"mode", "wrap"}});
  };
  CHECK(pad({1, 2}, {3}) == "it was read");
  CHECK(holds(pad({1, 2, 3, 4}, {3, -1}), "(Pad): it pads an axis twice"));
  CHECK(holds(pad({1, 2}, {4}), "(Pad): its axis 4"));
  CHECK(holds(pad({1, 2, 3}, {3}), "(Pad): it does not have two pads"));
  CHECK(holds(pad({0, 1 << 20}, {3}), "(Pad): its output would be 1x4x6x1048582"));
}

TEST_CASE("A running sum is three layers for each power of two below its length") {
  for (const auto& [length, steps] : {std::pair(2, 1), std::pair(64, 6), std::pair(1 << 14, 14)}) {
    OnnxGraph graph;
    graph.input("in", {1, length}, ElementType::f32);
    graph.output(graph.node("CumSum", {"in", graph.integers({1})}), {});
    const Result<Model> model = read(graph.file());
    REQUIRE_MESSAGE(model.ok(), model.error());
    CHECK(kind_counts(*model) ==
          std::map<std::string, int>{{"StridedSlice", steps}, {"Pad", steps}, {"Binary", steps}});
    CHECK(parameters(*model) == 0);
  }
}

TEST_CASE("Operators that count refuse numbers that make no sense") {
  CHECK(holds(Case().refusal_of_list("CumSum", {4}), "(CumSum): its axis 4"));
  CHECK(holds(Case().refusal_of_list("CumSum", {0, 1}), "(CumSum): its axis is not one integer"));
  CHECK(holds(Case().refusal_of_list("Trilu", {INT64_MAX}), "(Trilu): its k is too large"));
  CHECK(holds(Case({4}).refusal("Trilu"), "(Trilu): its input is 4"));
  CHECK(holds(Case().refusal("EyeLike"), "(EyeLike): its input is 1x4x6x6"));
  const auto one_hot = [](const std::vector<float>& depth, const std::vector<float>& values,
                          int64_t axis = -1) {
    Case file({1, 6});
    return file.refusal("OneHot",
                        {file.graph.floats({std::ssize(depth)}, depth),
                         file.graph.floats({std::ssize(values)}, values)},
                        {{"axis", axis}});
  };
  CHECK(one_hot({5}, {0, 1}) == "it was read");
  for (const float bad : {0.0F, -1.0F, 1e30F, std::numeric_limits<float>::quiet_NaN()}) {
    CHECK(holds(one_hot({bad}, {0, 1}), "(OneHot): its depth"));
  }
  CHECK(holds(one_hot({5}, {0, 1, 2}), "(OneHot): it does not have two values"));
  CHECK(holds(one_hot({5}, {0, 1}, 3), "(OneHot): its axis 3"));
  CHECK(holds(Case().refusal_of_list("CenterCropPad", {3, 0, 3, 3}), "its sizes hold 0"));
  CHECK(holds(Case().refusal_of_list("CenterCropPad", {3}), "one size for each axis"));
  CHECK(holds(Case().refusal("Hardmax", {}, {{"axis", int64_t{9}}}), "(Hardmax): its axis 9"));
}

TEST_CASE("Functions and normalisations refuse forms that they do not have") {
  CHECK(holds(Case().refusal("Gelu", {}, {{"approximate", "cubic"}}), "'cubic' is not supported"));
  CHECK(holds(Case().refusal("Cast", {}, {{"to", int64_t{8}}}), "casts to string"));
  CHECK(holds(Case().refusal("Cast", {}, {{"to", INT64_MAX}}), "(Cast): its type is unknown"));
  const auto group = [](int64_t groups, int64_t count) {
    Case file;
    const std::vector<float> ones(static_cast<size_t>(count), 1.0F);
    return file.refusal("GroupNormalization",
                        {file.graph.floats({count}, ones), file.graph.floats({count}, ones)},
                        {{"num_groups", groups}});
  };
  CHECK(group(2, 4) == "it was read");
  CHECK(holds(group(3, 4), "4 channels do not divide into 3 groups"));
  CHECK(holds(group(0, 4), "into 0 groups"));
  CHECK(holds(group(INT64_MIN, 4), "groups"));
  CHECK(holds(group(2, 2), "one value for each of 4 channels"));
  Case scaled;
  CHECK(holds(scaled.refusal("RMSNormalization", {scaled.graph.floats({7}, std::vector<float>(7))}),
              "do not fit together"));
}

TEST_CASE("Einsum computes constants, and says what its equation lacks") {
  const auto einsum = [](const std::string& equation, const Dims& a, const Dims& b) {
    OnnxGraph graph;
    graph.input("in", {2, 4}, ElementType::f32);
    const auto filled = [&](const Dims& dims) {
      std::vector<float> values;
      for (int64_t i = 0; i < dims[0] * dims[1]; ++i) values.push_back(static_cast<float>(i));
      return graph.floats(dims, values);
    };
    const std::string known =
        graph.node("Einsum", {filled(a), filled(b)}, {{"equation", equation}});
    graph.node("Add", {"in", known}, {}, "out");
    graph.output("out", {});
    const std::string file = graph.file(18);
    const Result<Model> model = read(file);
    return model.ok() ? text_of_last(*model) : model.error();
  };
  CHECK(einsum("ij,jk->ik", {2, 3}, {3, 4}) == "20 56 23 68 26 80 29 92 ");
  CHECK(einsum("ij,jk", {2, 3}, {3, 4}) == "20 56 23 68 26 80 29 92 ");
  CHECK(holds(einsum("ij,jk->ik", {2, 3}, {4, 4}), "its index j has two sizes, 3 and 4"));
  CHECK(holds(einsum("ij,jk->iz", {2, 3}, {3, 4}), "the index z, which no operand has"));
  CHECK(holds(einsum("ijk,jk->ik", {2, 3}, {3, 4}), "names 3 dimensions of 2x3"));
  CHECK(
      holds(einsum("ij->ij", {2, 3}, {3, 4}), "in its equation is 1, and that of its inputs is 2"));
  CHECK(einsum("i...,...k->ik", {2, 3}, {3, 4}) == "20 56 23 68 26 80 29 92 ");
  for (const char* bad : {"i..,jk->ik", "ij,j1->i", "ij,jk->i->k", "......,jk->k"})
    CHECK(holds(einsum(bad, {2, 3}, {3, 4}), "not one of letters"));
  CHECK(holds(einsum("i...,...k->ik", {2, 3}, {4, 4}), "its index 0 has two sizes, 3 and 4"));
}

TEST_CASE("Reductions of constants are computed when the file is read") {
  OnnxGraph graph;
  graph.input("in", {1, 4, 6, 6}, ElementType::f32);
  const std::string dims = graph.node("Shape", {"in"});
  const std::string count = graph.node("ReduceProd", {dims}, {{"keepdims", int64_t{1}}});
  graph.node("Reshape", {"in", count}, {}, "out");
  graph.output("out", {});
  const std::string file = graph.file(18);
  const Result<Model> model = read(file);
  REQUIRE_MESSAGE(model.ok(), model.error());
  CHECK(model->outputs[0].dims == Dims{144});
}

TEST_CASE("Before opset 7 a comparison aligns its second operand at an axis") {
  OnnxGraph graph;
  graph.input("in", {1, 3, 8, 3}, ElementType::f32);
  const std::string limits = graph.floats({3}, {1, 2, 3});
  graph.node("Less", {"in", limits}, {{"broadcast", int64_t{1}}, {"axis", int64_t{1}}}, "out");
  graph.output("out", {1, 3, 8, 3});
  const std::string bytes = graph.file(6);
  const Result<Model> model = read_onnx(std::as_bytes(std::span(bytes)));
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error()));
  bool by_channel = false;
  for (const Tensor& tensor : model->tensors)
    by_channel = by_channel || (tensor.constant && tensor.shape == Shape{1, 1, 3});
  CHECK(by_channel);
}

TEST_CASE("A zero that gives the result its rank is not left out of a choice") {
  OnnxGraph graph;
  graph.input("in", {1, 4}, ElementType::f32);
  const std::string chosen = graph.node("Greater", {"in", graph.scalar(0.5F)});
  graph.node("Where", {chosen, "in", graph.floats({1, 1, 1}, {0})}, {}, "out");
  graph.output("out", {1, 1, 4});
  const std::string bytes = graph.file(16);
  const Result<Model> model = read_onnx(std::as_bytes(std::span(bytes)));
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error()));
  CHECK(model->outputs[0].dims == Dims{1, 1, 4});
}

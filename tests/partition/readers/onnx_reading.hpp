// Shared by the tests of the ONNX reader: reads a file's bytes, counts the kinds of the model's
// layers, and asks why a file of one node is refused.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "partition/readers/onnx.hpp"
#include "tests/networks/onnx_graph.hpp"

namespace shingle {

inline Result<Model> read(const std::string& file) {
  return read_onnx(std::as_bytes(std::span(file)));
}

// The graph with its value `last` as the output.
inline Model must_read(networks::OnnxGraph& graph, const std::string& last, int64_t opset = 13) {
  graph.output(last, {});
  Result<Model> model = read(graph.file(opset));
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error()));
  return std::move(*model);
}

inline std::vector<float> floats_of(const FloatView& view) {
  std::vector<float> list;
  for (int64_t i = 0; i < view.count; ++i) list.push_back(view[i]);
  return list;
}

inline std::vector<std::string> kinds(const Model& model) {
  std::vector<std::string> list;
  for (const Layer& layer : model.layers) list.emplace_back(name_of(layer.op));
  return list;
}

inline std::map<std::string, int> kind_counts(const Model& model) {
  std::map<std::string, int> counts;
  for (const std::string& kind : kinds(model)) ++counts[kind];
  return counts;
}

// One node on an input of `dims`, in a file of `opset`.
struct OneNode {
  networks::OnnxGraph graph;
  int64_t opset;

  explicit OneNode(const std::vector<int64_t>& dims = {1, 4, 6, 6}, int64_t version = 13)
      : opset(version) {
    graph.input("in", dims, ElementType::f32);
  }

  std::string refusal(std::string_view op, std::vector<std::string> operands = {},
                      const networks::OnnxAttributes& attributes = {}) {
    operands.insert(operands.begin(), "in");
    graph.node(op, operands, attributes, "out");
    graph.output("out", {});
    const std::string bytes = graph.file(opset);
    const Result<Model> model =
        read_onnx(std::as_bytes(std::span(bytes)), {.max_constant_bytes = 16 << 20});
    return model.ok() ? "it was read" : model.error();
  }

  std::string refusal_of_list(std::string_view op, const std::vector<int64_t>& list,
                              const networks::OnnxAttributes& attributes = {}) {
    return refusal(op, {graph.integers(list)}, attributes);
  }
};

}  // namespace shingle

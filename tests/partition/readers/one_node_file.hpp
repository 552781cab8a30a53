// A file of one node on an input "in", and its answer: what reads it says why it does not.
#pragma once

#include <string>
#include <vector>

#include "partition/readers/onnx.hpp"
#include "tests/networks/onnx_graph.hpp"

namespace shingle::tests {

struct OneNodeFile {
  networks::OnnxGraph graph;
  int64_t opset = 24;

  explicit OneNodeFile(const std::vector<int64_t>& dims, int64_t version = 24) : opset(version) {
    graph.input("in", dims, ElementType::f32);
  }

  std::string zeros(const std::vector<int64_t>& dims) {
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    return graph.floats(dims, std::vector<float>(static_cast<size_t>(count), 0.0F));
  }

  // An initializer of integers.
  std::string integers(const std::vector<int64_t>& dims, const std::vector<int64_t>& values) {
    return graph.tensor(
        dims, 7, std::string(reinterpret_cast<const char*>(values.data()), values.size() * 8));
  }

  std::string answer(std::string_view op, const std::vector<std::string>& inputs,
                     const networks::OnnxAttributes& attributes = {}) {
    graph.node(op, inputs, attributes, "out");
    return answer();
  }

  // Of the nodes that the graph has, one of which makes "out".
  std::string answer() {
    graph.output("out", {});
    const std::string file = graph.file(opset);
    const Result<Model> model = read_onnx(std::as_bytes(std::span(file)));
    return model.ok() ? "it was read" : model.error();
  }
};

inline bool holds(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != std::string::npos;
}

}  // namespace shingle::tests

// What stands behind the convolutions of CRNN: two bidirectional LSTM layers of 256 over 80 steps.
#pragma once

#include <string>

#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"

namespace shingle::bench {

inline std::string recurrence_file() {
  constexpr int64_t steps = 80, features = 512, hidden = 256;
  networks::OnnxGraph graph;
  networks::Random random(1);
  const auto values = [&](const std::vector<int64_t>& dims) {
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    std::vector<float> some(static_cast<size_t>(count));
    for (float& value : some) value = random.uniform(-0.0625F, 0.0625F);  // 1/sqrt(hidden)
    return graph.floats(dims, some);
  };
  graph.input("in", {1, features, 1, steps}, ElementType::f32);
  std::string value = graph.node("Squeeze", {"in", graph.integers({2})});
  value = graph.node("Transpose", {value}, {{"perm", std::vector<int64_t>{2, 0, 1}}});
  for (int64_t inputs : {features, 2 * hidden}) {
    value = graph.node("LSTM",
                       {value, values({2, 4 * hidden, inputs}), values({2, 4 * hidden, hidden}),
                        values({2, 8 * hidden})},
                       {{"hidden_size", hidden}, {"direction", std::string("bidirectional")}});
    value = graph.node("Transpose", {value}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    value = graph.node("Reshape", {value, graph.integers({steps, 1, 2 * hidden})});
  }
  graph.node("Identity", {value}, {}, "out");
  graph.output("out", {steps, 1, 2 * hidden});
  return graph.file(14);
}

}  // namespace shingle::bench

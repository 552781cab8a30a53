// Models of which only the outputs matter, and the reading that they get.
#pragma once

#include <doctest/doctest.h>

#include "apps/heads/reading.hpp"
#include "tests/apps/heads/head_clues.hpp"
#include "tests/apps/scratch_folder.hpp"
#include "tests/networks/onnx_graph.hpp"

namespace shingle::testing {

struct StubModel {
  Shape input;
  std::vector<Dims> outputs;
  OnnxMetadata metadata = {};
  std::vector<std::string> names = {};  // of the outputs; empty: out0, out1, ...
  bool takes_sizes = false;             // the last output has its second input added
};

// A file whose outputs have these dims: slices of one constant-free map, reshaped.
inline std::string file_with(const StubModel& stub) {
  networks::OnnxGraph graph;
  const Shape input = stub.input;
  graph.input("image", {1, input.c, input.h, input.w}, ElementType::f32);
  if (stub.takes_sizes) graph.input("orig_target_sizes", {1, 2}, ElementType::f32);
  const std::string sum = graph.node("GlobalAveragePool", {"image"});
  for (size_t i = 0; i < stub.outputs.size(); ++i) {
    int64_t count = 1;
    for (const int64_t dim : stub.outputs[i]) count *= dim;
    const std::string weights =
        graph.floats({count, input.c, 1, 1}, uniform(count * input.c, -0.1F, 0.1F, i + 1));
    std::string wide = graph.node("Conv", {sum, weights});
    const std::string name = stub.names.empty() ? "out" + std::to_string(i) : stub.names[i];
    if (stub.takes_sizes && i + 1 == stub.outputs.size()) {
      const std::string pixels = graph.node("ReduceSum", {"orig_target_sizes"}, {}, {});
      wide = graph.node("Add", {wide, pixels});
    }
    graph.node("Reshape", {wide, graph.integers(stub.outputs[i])}, {}, name);
    graph.output(name, stub.outputs[i]);
  }
  for (const MetadataEntry& entry : stub.metadata) graph.metadata(entry.key, entry.value);
  return graph.file();
}

inline Result<Reading> reading_of(const StubModel& given, const ReadingOptions& options = {}) {
  const ScratchFolder folder;
  const auto file = open_model(folder.with_text("model.onnx", file_with(given)));
  REQUIRE_MESSAGE(file.ok(), file.error());
  return choose_reading(*file, options);
}

inline std::string head_of(const StubModel& given, const ReadingOptions& options = {}) {
  const auto reading = reading_of(given, options);
  return reading ? reading->head->name : reading.error();
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline const Shape small{96, 96, 3};  // 189 cells, with stride 64 193

}  // namespace shingle::testing

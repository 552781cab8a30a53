// Outputs that are known when a file is read: shapes, masks, grids. They come with each frame, in
// the bits that the file says.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "partition/readers/onnx.hpp"
#include "tests/devices/layers.hpp"
#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

}  // namespace

TEST_CASE("An output that is known when read is computed in tiles, whatever the frame holds") {
  Array input = random_array({1, 3, 5, 4}, 1);
  for (const float first : {1.0F, INFINITY, NAN}) {
    for (float& value : input.values) value *= first;
    for (const Dims& dims : {Dims{1, 2, 6, 7}, Dims{5, 3}, Dims{4}, Dims{}}) {
      CAPTURE(first);
      Array known = random_array(dims, 2);
      known.values[0] = -0.0F;
      OnnxGraph graph;
      const Array computed = run_onnx(graph, graph.floats(dims, known.values), input);
      CHECK(computed.dims == dims);
      for (size_t i = 0; i < known.values.size(); ++i)
        CHECK(std::bit_cast<uint32_t>(computed.values[i]) ==
              std::bit_cast<uint32_t>(known.values[i]));
    }
  }
}

TEST_CASE("Outputs of which some are known stand in the file's order") {
  OnnxGraph graph;
  graph.input("in", {1, 3, 5, 4}, ElementType::f32);
  graph.node("Shape", {"in"}, {}, "sizes");
  graph.node_with_outputs("Dropout", {"in"}, {}, {"kept", "mask"});
  for (const char* output : {"sizes", "kept", "mask"}) graph.output(output, {});
  const std::string bytes = graph.file();
  const Result<Model> model = read_onnx(std::as_bytes(std::span(bytes)));
  REQUIRE_MESSAGE(model.ok(), model.error());
  const std::vector<Map> inputs = random_inputs(*model, 3);
  const std::vector<Map> maps = run_whole(*make_executor(true), *model, inputs);
  REQUIRE(model->outputs.size() == 3);
  const auto values = [&](size_t i) {
    return in_file_order(model->outputs[i], model->at(model->outputs[i].tensor).shape,
                         maps[i].values);
  };
  CHECK(model->outputs[0].name == "sizes");
  CHECK(values(0) == std::vector<float>{1, 3, 5, 4});
  CHECK(maps[1].values == inputs[0].values);
  CHECK(model->outputs[2].dims == Dims{1, 3, 5, 4});
  CHECK(values(2) == std::vector<float>(60, 1.0F));
}

}  // namespace shingle::tests

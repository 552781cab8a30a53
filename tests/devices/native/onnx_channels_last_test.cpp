// Files with the channels last, as TensorFlow's converters write them.
#include <doctest/doctest.h>

#include "partition/readers/onnx.hpp"
#include "tests/conformance/tiles.hpp"
#include "tests/devices/layers.hpp"
#include "tests/devices/native/onnx_runs.hpp"
#include "tests/networks/channels_last.hpp"

namespace shingle::tests {

namespace {

using networks::ChannelOrder;
using networks::OnnxGraph;

Model read(const std::string& file) {
  Result<Model> model = read_onnx(std::as_bytes(std::span(file)));
  REQUIRE_MESSAGE(model.ok(), model.error());
  return std::move(*model);
}

std::vector<std::string> kinds(const Model& model) {
  std::vector<std::string> kinds;
  for (const Layer& layer : model.layers) kinds.emplace_back(name_of(layer.op));
  return kinds;
}

// By output of the model.
std::vector<std::vector<float>> outputs_of(bool native, const Model& model,
                                           const std::vector<Map>& inputs) {
  const std::vector<Map> maps = run_whole(*make_executor(native), model, inputs);
  const std::vector<Slice> slices = whole_program(model).outputs;
  std::vector<std::vector<float>> outputs;
  for (const ModelOutput& output : model.outputs)
    for (size_t i = 0; i < slices.size(); ++i)
      if (slices[i].tensor == output.tensor) outputs.push_back(maps[i].values);
  return outputs;
}

// How a picture of 1x24x32x3 lies that one node reads.
Shape shape_of_input(const std::string& op, const networks::OnnxAttributes& attributes = {},
                     const Dims& dims = {1, 24, 32, 3}) {
  OnnxGraph graph;
  graph.input("in", dims, ElementType::f32);
  graph.output(graph.node(op, {graph.node("Relu", {"in"})}, attributes), {});
  const std::string file = graph.file();
  const Model model = read(file);
  return model.at(model.inputs[0]).shape;
}

}  // namespace

TEST_CASE("A network with the channels last has the layers and the bits of one with them first") {
  const std::string last_file = networks::keras_network(ChannelOrder::last),
                    first_file = networks::keras_network(ChannelOrder::first);
  const Model last = read(last_file), first = read(first_file);
  CHECK(last.at(last.inputs[0]).shape == Shape{24, 32, 3});
  CHECK(kinds(last) == kinds(first));
  CHECK(kinds(last) == std::vector<std::string>{"Binary", "Convolution", "Convolution",
                                                "Convolution", "Reduction", "Reduction",
                                                "Convolution", "Softmax"});
  CHECK(last.outputs[1].dims == Dims{1, 12, 16, 4});
  CHECK(first.outputs[1].dims == Dims{1, 4, 12, 16});
  const std::vector<Map> inputs = random_inputs(last, 3);
  for (const bool native : {false, true}) {
    const auto values = outputs_of(native, last, inputs);
    CHECK(values == outputs_of(native, first, inputs));
    // In the file's order the map's elements lie as in the box: rows, columns, channels.
    CHECK(in_file_order(last.outputs[1], {12, 16, 4}, values[1]) == values[1]);
    const auto tiles = conformance::run_tiles(
        *make_executor(native), last, conformance::random_plan(last, 5), {inputs[0].values});
    REQUIRE_MESSAGE(tiles.ok(), tiles.error());
    CHECK(*tiles == values);
  }
}

TEST_CASE("A picture lies with its channels last if the graph brings them first, and only then") {
  const networks::OnnxAttributes to_first{{"perm", Dims{0, 3, 1, 2}}},
      other{{"perm", Dims{0, 2, 1, 3}}};
  CHECK(shape_of_input("Transpose", to_first) == Shape{24, 32, 3});
  CHECK(shape_of_input("Transpose", to_first, {1, 24, 32, 1}) == Shape{24, 32, 1});
  CHECK(shape_of_input("Transpose", to_first, {1, 24, 32, 5}) == Shape{32, 5, 24});
  CHECK(shape_of_input("Transpose", to_first, {1, 3, 32, 3}) == Shape{32, 3, 3});
  CHECK(shape_of_input("Transpose", other) == Shape{32, 3, 24});
  CHECK(shape_of_input("GlobalMaxPool") == Shape{32, 3, 24});
}

}  // namespace shingle::tests

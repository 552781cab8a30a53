#include "tests/devices/native/counted_runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "partition/readers/onnx.hpp"
#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

constexpr int tiles = 8;

void check_tiles(Executor& executor, const Model& model, const Map& input,
                 const std::vector<Map>& wholes) {
  networks::Random random(5);
  for (int i = 0; i < tiles; ++i) {
    const TileProgram tile = random_tile(random, model);
    REQUIRE(executor.prepare(model, std::span(&tile, 1)).ok());
    const std::vector<Map> computed = run(executor, model, tile, {input});
    for (size_t part = 0; part < tile.outputs.size(); ++part) {
      for (size_t output = 0; output < model.outputs.size(); ++output)
        if (model.outputs[output].tensor == tile.outputs[part].tensor)
          CHECK(differing_bytes(computed[part], wholes[output]) == 0);
    }
  }
}

// By model output; a program has its outputs in the order of tensors.
std::vector<Map> outputs_of(Executor& executor, const Model& model, const Map& input) {
  const std::vector<Map> maps = run_whole(executor, model, {input});
  const std::vector<Slice> slices = whole_program(model).outputs;
  std::vector<Map> outputs;
  for (const ModelOutput& output : model.outputs) {
    const auto at = std::ranges::find(slices, output.tensor, &Slice::tensor);
    outputs.push_back(maps[static_cast<size_t>(at - slices.begin())]);
  }
  return outputs;
}

std::vector<Map> wholes_of(const Model& model, const Map& input) {
  std::vector<Map> wholes;
  for (const bool native : {false, true}) {
    CAPTURE(native);
    const std::unique_ptr<Executor> executor = make_executor(native);
    std::vector<Map> maps = outputs_of(*executor, model, input);
    for (size_t i = 0; native && i < maps.size(); ++i)
      CHECK(differing_bytes(maps[i], wholes[i]) == 0);
    wholes = std::move(maps);
    check_tiles(*executor, model, input, wholes);
  }
  return wholes;
}

}  // namespace

std::vector<Array> run_counted(networks::OnnxGraph& graph, const std::vector<std::string>& names,
                               const Array& input, int64_t opset) {
  graph.input("in", input.dims, ElementType::f32);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string output = "out" + std::to_string(i);
    graph.node("Identity", {names[i]}, {}, output);
    graph.output(output, {});
  }
  const std::string bytes = graph.file(opset);
  const Result<Model> model = read_onnx(std::as_bytes(std::span(bytes)));
  REQUIRE_MESSAGE(model.ok(), model.error());
  const std::vector<Map> wholes =
      wholes_of(*model, {whole(model->at(model->inputs[0]).shape), input.values});
  std::vector<std::vector<float>> ordered;
  for (size_t i = 0; i < model->outputs.size(); ++i) {
    const ModelOutput& output = model->outputs[i];
    ordered.push_back(in_file_order(output, model->at(output.tensor).shape, wholes[i].values));
  }
  std::vector<Array> arrays;
  const std::vector<OutputValue> cut = cut_to_counts(*model, ordered);
  for (size_t i = 0; i < names.size(); ++i) {
    CHECK(!model->outputs[i].is_only_count);
    arrays.push_back({cut[i].dims, cut[i].values});
  }
  return arrays;
}

Array run_counted(networks::OnnxGraph& graph, const std::string& name, const Array& input,
                  int64_t opset) {
  return run_counted(graph, std::vector{name}, input, opset)[0];
}

}  // namespace shingle::tests

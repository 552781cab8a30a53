#include "tests/devices/native/onnx_runs.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "partition/readers/onnx.hpp"
#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

constexpr int tiles = 12;

size_t place(const Dims& dims, const Dims& index) {
  int64_t at = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim) at = at * dims[dim] + index[dim];
  return static_cast<size_t>(at);
}

// A file's maps have the channels first.
Map map_of(const Array& array, Shape shape) {
  Map map{whole(shape), array.values};
  size_t next = 0;
  for (int32_t c = 0; c < shape.c; ++c) {
    for (int32_t yx = 0; yx < shape.h * shape.w; ++yx) {
      map.values[static_cast<size_t>(yx * shape.c + c)] = array.values[next++];
    }
  }
  return map;
}

void tiles_must_agree(Executor& executor, const Model& model, const Map& input, const Map& whole) {
  networks::Random random(11);
  for (int i = 0; i < tiles; ++i) {
    const TileProgram tile = random_tile(random, model);
    REQUIRE(executor.prepare(model, std::span(&tile, 1)).ok());
    const std::vector<Map> computed = run(executor, model, tile, {input});
    CAPTURE(to_string(computed[0].region));
    CHECK(differing_bytes(computed[0], whole) == 0);
  }
}

}  // namespace

double Array::at(const Dims& index) const {
  return static_cast<double>(values[place(dims, index)]);
}

Array random_array(const Dims& dims, uint64_t seed) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return {dims, random_values(count, seed)};
}

Array random_whole_array(const Dims& dims, uint64_t seed, float scale) {
  Array array = random_array(dims, seed);
  for (float& value : array.values) value = std::round(value * scale);
  return array;
}

std::string part_of_input(networks::OnnxGraph& graph, const Dims& dims, int64_t begin) {
  int64_t end = begin;
  for_each_index(dims, [&](const Dims&) { ++end; });
  const std::string part =
      graph.node("Slice", {"in", graph.integers({begin}), graph.integers({end})});
  return graph.node("Reshape", {part, graph.integers(dims)});
}

void for_each_index(const Dims& dims, const std::function<void(const Dims&)>& visit) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  for (int64_t i = 0; i < count; ++i) {
    Dims index(dims.size());
    int64_t rest = i;
    for (size_t dim = dims.size(); dim-- > 0; rest /= dims[dim]) index[dim] = rest % dims[dim];
    visit(index);
  }
}

Array run_onnx(networks::OnnxGraph& graph, const std::string& last, const Array& input,
               int64_t opset) {
  graph.input("in", input.dims, ElementType::f32);
  graph.node("Identity", {last}, {}, "out");
  graph.output("out", {});
  const std::string bytes = graph.file(opset);
  const Result<Model> model = read_onnx(std::as_bytes(std::span(bytes)));
  REQUIRE_MESSAGE(model.ok(), model.error());
  const Map in = map_of(input, model->at(model->inputs[0]).shape);
  std::vector<Map> wholes;
  for (const bool native : {false, true}) {
    CAPTURE(native);
    const std::unique_ptr<Executor> executor = make_executor(native);
    wholes.push_back(run_whole(*executor, *model, {in})[0]);
    tiles_must_agree(*executor, *model, in, wholes.back());
  }
  CHECK(relative_error(wholes[1], wholes[0]) < 1e-5);
  const ModelOutput& output = model->outputs[0];
  return {output.dims, in_file_order(output, model->at(output.tensor).shape, wholes[0].values)};
}

Array run_onnx(networks::OnnxGraph& graph, const OneNode& node, const Array& input,
               std::vector<std::string> operands) {
  operands.insert(operands.begin(), "in");
  return run_onnx(graph, graph.node(node.op, operands, node.attributes), input, node.opset);
}

void check_everywhere(const Array& computed, const Dims& dims, const Formula& exact,
                      double tolerance) {
  REQUIRE(computed.dims == dims);
  int64_t wrong = 0;
  for_each_index(dims, [&](const Dims& index) {
    const double expected = exact(index), difference = std::abs(computed.at(index) - expected);
    if (difference <= tolerance * std::max(1.0, std::abs(expected))) return;
    if (++wrong > 1) return;
    std::string where;
    for (const int64_t i : index) where += std::to_string(i) + " ";
    MESSAGE("at " << where << "it is " << computed.at(index) << " and not " << expected);
  });
  CHECK(wrong == 0);
}

}  // namespace shingle::tests

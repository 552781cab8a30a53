#include "tests/conformance/tiles.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

#include "devices/executor/view.hpp"
#include "tests/networks/drawn_plans.hpp"

namespace shingle::conformance {

namespace {

ConstTensorView read(const std::vector<float>& values, const Region& region) {
  return {reinterpret_cast<const std::byte*>(values.data()), region, ElementType::f32};
}
TensorView written(std::vector<float>& values, const Region& region) {
  return {reinterpret_cast<std::byte*>(values.data()), region, ElementType::f32};
}

// A map for each tensor. Elements that are not computed yet are NaN.
class Canvases {
 public:
  Canvases(const Model& model, const Maps& inputs) : model_(model), maps_(model.tensors.size()) {
    for (size_t i = 0; i < inputs.size(); ++i) maps_[model.inputs[i].value] = inputs[i];
  }

  Status run(Executor& executor, const TileProgram& program) {
    Maps windows, results;
    std::vector<ConstTensorView> in;
    std::vector<TensorView> out;
    for (const Slice& slice : program.inputs) windows.push_back(cut(slice));
    for (const Slice& slice : program.outputs) results.push_back(blank(slice.region));
    for (size_t i = 0; i < windows.size(); ++i)
      in.push_back(read(windows[i], program.inputs[i].region));
    for (size_t i = 0; i < results.size(); ++i)
      out.push_back(written(results[i], program.outputs[i].region));
    const Status done = executor.compute(program, in, out);
    if (done) {
      for (size_t i = 0; i < results.size(); ++i) paste(program.outputs[i], results[i]);
    }
    return done;
  }

  Maps outputs() {
    Maps outputs;
    for (const ModelOutput& output : model_.outputs) outputs.push_back(map(output.tensor));
    return outputs;
  }

 private:
  static std::vector<float> blank(const Region& region) {
    return std::vector<float>(static_cast<size_t>(region.elements()),
                              std::numeric_limits<float>::quiet_NaN());
  }
  std::vector<float>& map(TensorId tensor) {
    std::vector<float>& values = maps_[tensor.value];
    if (values.empty()) values = blank(whole(model_.at(tensor).shape));
    return values;
  }
  std::vector<float> cut(const Slice& slice) {
    std::vector<float> window = blank(slice.region);
    copy(read(map(slice.tensor), whole(model_.at(slice.tensor).shape)),
         written(window, slice.region), slice.region);
    return window;
  }
  void paste(const Slice& slice, const std::vector<float>& values) {
    copy(read(values, slice.region),
         written(map(slice.tensor), whole(model_.at(slice.tensor).shape)), slice.region);
  }

  const Model& model_;
  Maps maps_;
};

Result<Maps> run(Executor& executor, const Model& model, const std::vector<TileProgram>& programs,
                 const Maps& inputs) {
  assert(inputs.size() == model.inputs.size());
  const Status prepared = executor.prepare(model, programs);
  if (!prepared) return Error{prepared.error()};
  Canvases canvases(model, inputs);
  for (const TileProgram& program : programs) {
    const Status done = canvases.run(executor, program);
    if (!done) return Error{done.error()};
  }
  return canvases.outputs();
}

}  // namespace

Result<Maps> run_whole(Executor& executor, const Model& model, const Maps& inputs) {
  return run(executor, model, {whole_program(model)}, inputs);
}

Result<Maps> run_whole(Executor& executor, const Model& model, const Plan& plan,
                       const Maps& inputs) {
  return run(executor, model, {whole_program(model, plan)}, inputs);
}

Result<Maps> run_tiles(Executor& executor, const Model& model, const Plan& plan,
                       const Maps& inputs) {
  std::vector<TileProgram> programs;
  for (const FusedBlock& block : plan.blocks) {
    for (const Tile& tile : block.tiles)
      programs.push_back(tile_program(model, block, tile.outputs));
  }
  return run(executor, model, programs, inputs);
}

Plan random_plan(const Model& model, uint64_t seed) {
  networks::Random random(seed);
  if (seed % 2 == 1) {  // as the planner cuts: also tiles of channels, and stairs
    Cluster nodes;
    for (uint32_t id = 0; id < 4; ++id) nodes.nodes.push_back({.id = {id}});
    return networks::drawn_plan(random, model, nodes);
  }
  PlanOptions options;
  for (uint32_t layer = 0; layer + 1 < model.layers.size(); ++layer) {
    if (random.chance(0.3)) options.cut_after.push_back({layer});
  }
  options.grid = {random.between(1, 5), random.between(1, 5)};
  if (options.grid.rows * options.grid.columns == 1) options.grid.rows = 2;
  return grid_plan(model, Cluster{{ClusterNode{NodeId{0}}}}, options);
}

bool is_spatial(const Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [&](const Layer& layer) {
    const Shape shape = model.at(layer.output).shape;
    return int64_t{shape.h} * shape.w > 1;
  });
}

int64_t differing_bytes(const Maps& a, const Maps& b) {
  assert(a.size() == b.size());
  int64_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    assert(a[i].size() == b[i].size());
    const auto* left = reinterpret_cast<const std::byte*>(a[i].data());
    const auto* right = reinterpret_cast<const std::byte*>(b[i].data());
    for (size_t j = 0; j < a[i].size() * sizeof(float); ++j) count += left[j] != right[j] ? 1 : 0;
  }
  return count;
}

}  // namespace shingle::conformance

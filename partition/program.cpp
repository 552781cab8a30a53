#include "partition/program.hpp"

#include <algorithm>
#include <cassert>

#include "partition/demand.hpp"
#include "partition/tile_cost.hpp"

namespace shingle {

namespace {

// What is needed of each tensor so far, by tensor; filled from the tile's outputs backwards.
using Needs = std::vector<Region>;

Step step_for(const Model& model, LayerId id, const Region& output, Needs& needs) {
  const Layer& layer = model.at(id);
  Step step{.layer = id, .output = output, .inputs = {}};
  step.inputs.reserve(layer.inputs.size());
  for (size_t input = 0; input < layer.inputs.size(); ++input) {
    step.inputs.push_back(demand(model, layer, input, output));
    Region& need = needs[layer.inputs[input].value];
    need = hull(need, step.inputs.back());
  }
  return step;
}

// Windows on what the block reads but does not make; constants are known everywhere.
std::vector<Slice> windows(const Model& model, const Needs& needs,
                           const std::vector<bool>& made_here) {
  std::vector<Slice> inputs;
  for (uint32_t tensor = 0; tensor < needs.size(); ++tensor) {
    if (needs[tensor].empty() || made_here[tensor] || model.tensors[tensor].constant) continue;
    inputs.push_back({TensorId{tensor}, needs[tensor]});
  }
  return inputs;
}

}  // namespace

TileProgram tile_program(const Model& model, const FusedBlock& block,
                         const std::vector<Slice>& outputs) {
  Needs needs(model.tensors.size());
  std::vector<bool> made_here(model.tensors.size(), false);
  for (const Slice& slice : outputs) {
    Region& need = needs[slice.tensor.value];
    need = hull(need, slice.region);
  }
  TileProgram program{.inputs = {}, .steps = {}, .outputs = outputs};
  assert(std::is_sorted(block.layers.begin(), block.layers.end()));
  for (auto layer = block.layers.rbegin(); layer != block.layers.rend(); ++layer) {
    const TensorId output = model.at(*layer).output;
    made_here[output.value] = true;
    const Region need = needs[output.value];
    if (!need.empty()) program.steps.push_back(step_for(model, *layer, need, needs));
  }
  std::reverse(program.steps.begin(), program.steps.end());
  program.inputs = windows(model, needs, made_here);
  return program;
}

namespace {

std::vector<LayerId> all_layers(const Model& model) {
  std::vector<LayerId> layers;
  for (uint32_t layer = 0; layer < model.layers.size(); ++layer) layers.push_back(LayerId{layer});
  return layers;
}

std::vector<Slice> whole_outputs(const Model& model) {
  std::vector<TensorId> tensors;
  for (const ModelOutput& output : model.outputs) tensors.push_back(output.tensor);
  std::sort(tensors.begin(), tensors.end());
  tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
  std::vector<Slice> slices;
  for (TensorId tensor : tensors) slices.push_back({tensor, whole(model.at(tensor).shape)});
  return slices;
}

}  // namespace

TileProgram whole_program(const Model& model) {
  return tile_program(model, {.layers = all_layers(model), .tiles = {}}, whole_outputs(model));
}

FusedBlock whole_block(const Model& model) {
  FusedBlock block{.layers = all_layers(model), .tiles = {}};
  block.tiles.push_back(make_tile(model, block, whole_outputs(model)));
  return block;
}

int64_t macs(const Model& model, const TileProgram& program) {
  int64_t total = 0;
  for (const Step& step : program.steps) total += macs(model, step.layer, step.output);
  return total;
}

}  // namespace shingle

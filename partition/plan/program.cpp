#include "partition/plan/program.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include "partition/model/demand.hpp"
#include "partition/plan/tile_cost.hpp"

namespace shingle {

namespace {

// What is needed so far of tensors whose layers are still to come, in tensor order. It starts with
// the tile's outputs and is filled backwards.
using Needs = std::map<TensorId, Region>;

void widen(Needs& needs, TensorId tensor, const Region& region) {
  if (region.empty()) return;
  Region& need = needs[tensor];
  need = hull(need, region);
}

Step step_for(const Model& model, BlockLayer planned, const Region& output, Needs& needs) {
  const Layer& layer = model.at(planned.id);
  Step step{.layer = planned.id, .algorithm = planned.algorithm, .output = output, .inputs = {}};
  const Region computed = computed_region(planned.algorithm, model.at(layer.output).shape, output);
  step.inputs.reserve(layer.inputs.size());
  for (size_t input = 0; input < layer.inputs.size(); ++input) {
    step.inputs.push_back(demand(model, layer, input, computed));
    widen(needs, layer.inputs[input], step.inputs.back());
  }
  return step;
}

// Windows on what the block needs but does not make; constants are known on every node.
std::vector<Slice> windows(const Model& model, const Needs& needs) {
  std::vector<Slice> inputs;
  for (const auto& [tensor, region] : needs) {
    if (!model.at(tensor).constant) inputs.push_back({tensor, region});
  }
  return inputs;
}

}  // namespace

TileProgram tile_program(const Model& model, const FusedBlock& block,
                         const std::vector<Slice>& outputs) {
  Needs needs;
  for (const Slice& slice : outputs) widen(needs, slice.tensor, slice.region);
  TileProgram program{.inputs = {}, .steps = {}, .outputs = outputs};
  assert(std::ranges::is_sorted(block.layers, {}, &BlockLayer::id));
  for (auto layer = block.layers.rbegin(); layer != block.layers.rend(); ++layer) {
    const auto made = needs.extract(model.at(layer->id).output);
    if (made) {
      program.steps.push_back(step_for(model, *layer, made.mapped(), needs));
    }
  }
  std::reverse(program.steps.begin(), program.steps.end());
  program.inputs = windows(model, needs);
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

TileProgram whole_program(const Model& model, WinogradUse use) {
  const FusedBlock block{.layers = block_layers(model, all_layers(model), use), .tiles = {}};
  return tile_program(model, block, whole_outputs(model));
}

TileProgram whole_program(const Model& model, const Plan& plan) {
  const FusedBlock block{.layers = block_layers(model, plan), .tiles = {}};
  return tile_program(model, block, whole_outputs(model));
}

FusedBlock whole_block(const Model& model, WinogradUse use) {
  FusedBlock block{.layers = block_layers(model, all_layers(model), use), .tiles = {}};
  block.tiles.push_back(make_tile(model, block, whole_outputs(model)));
  return block;
}

int64_t macs(const Model& model, const TileProgram& program) {
  int64_t total = 0;
  for (const Step& step : program.steps) {
    const Shape map = model.at(model.at(step.layer).output).shape;
    total += macs(model, step.layer, computed_region(step.algorithm, map, step.output));
  }
  return total;
}

}  // namespace shingle

#include "partition/plan/plan.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

std::vector<WireFormat> wire_formats(const Model& model) {
  std::vector<WireFormat> formats;
  formats.reserve(model.tensors.size());
  for (const Tensor& tensor : model.tensors) formats.push_back(wire_format(tensor.type));
  return formats;
}

int32_t tile_count(const Plan& plan) {
  size_t count = 0;
  for (const FusedBlock& block : plan.blocks) count += block.tiles.size();
  return static_cast<int32_t>(count);
}

std::vector<BlockLayer> block_layers(const Model& model, const std::vector<LayerId>& ids,
                                     WinogradUse use) {
  std::vector<BlockLayer> layers;
  layers.reserve(ids.size());
  for (LayerId id : ids) layers.push_back({id, chosen_algorithm(model, model.at(id), use)});
  return layers;
}

std::vector<BlockLayer> block_layers(const Model& model, const Plan& plan) {
  std::vector<BlockLayer> layers(model.layers.size());
  for (uint32_t i = 0; i < layers.size(); ++i) layers[i].id = {i};
  for (const FusedBlock& block : plan.blocks) {
    for (const BlockLayer& layer : block.layers) {
      if (layer.id.value < layers.size()) layers[layer.id.value].algorithm = layer.algorithm;
    }
  }
  return layers;
}

std::vector<LayerId> layer_ids(const FusedBlock& block) {
  std::vector<LayerId> ids;
  ids.reserve(block.layers.size());
  for (const BlockLayer& layer : block.layers) ids.push_back(layer.id);
  return ids;
}

std::vector<LayerId> winograd_layers(const FusedBlock& block) {
  std::vector<LayerId> ids;
  for (const BlockLayer& layer : block.layers) {
    if (layer.algorithm == Algorithm::winograd4) ids.push_back(layer.id);
  }
  return ids;
}

std::vector<LayerId> winograd_layers(const Plan& plan) {
  std::vector<LayerId> layers;
  for (const FusedBlock& block : plan.blocks) {
    const std::vector<LayerId> more = winograd_layers(block);
    layers.insert(layers.end(), more.begin(), more.end());
  }
  std::sort(layers.begin(), layers.end());
  return layers;
}

size_t block_of(const Plan& plan, TileId id) {
  size_t before = 0;
  for (size_t i = 0; i < plan.blocks.size(); ++i) {
    before += plan.blocks[i].tiles.size();
    if (id.value < before) return i;
  }
  assert(false && "the tile is in the plan");
  return 0;
}

const Tile& tile(const Plan& plan, TileId id) {
  size_t index = id.value;
  for (const FusedBlock& block : plan.blocks) {
    if (index < block.tiles.size()) return block.tiles[index];
    index -= block.tiles.size();
  }
  assert(false && "the tile is in the plan");
  return plan.blocks.front().tiles.front();
}

std::vector<NodeId> homes(const Plan& plan) {
  std::vector<NodeId> found;
  for (const FusedBlock& block : plan.blocks) {
    for (const Tile& tile : block.tiles) found.push_back(tile.home);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

namespace {

bool same_channels(const Tile& a, const Tile& b) {
  return std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                    [](const Slice& one, const Slice& other) {
                      return one.tensor == other.tensor && one.region.c == other.region.c;
                    });
}

// By tensor: true if a layer of the block makes it.
std::vector<bool> made_in(const Model& model, const FusedBlock& block) {
  std::vector<bool> made(model.tensors.size(), false);
  for (const BlockLayer& layer : block.layers) made[model.at(layer.id).output.value] = true;
  return made;
}

std::vector<TensorId> marked(const std::vector<bool>& marks) {
  std::vector<TensorId> tensors;
  for (uint32_t i = 0; i < marks.size(); ++i) {
    if (marks[i]) tensors.push_back({i});
  }
  return tensors;
}

}  // namespace

bool keeps_weights(const Plan& plan, NodeId node, TileId id) {
  if (plan.weights == WeightPlaces::everywhere) return true;
  const Tile& wanted = tile(plan, id);
  const std::vector<Tile>& tiles = plan.blocks[block_of(plan, id)].tiles;
  return std::any_of(tiles.begin(), tiles.end(), [&](const Tile& own) {
    return own.home == node && same_channels(own, wanted);
  });
}

std::vector<TensorId> block_inputs(const Model& model, const FusedBlock& block) {
  const std::vector<bool> made = made_in(model, block);
  std::vector<bool> read(model.tensors.size(), false);
  for (const BlockLayer& layer : block.layers) {
    for (TensorId input : model.at(layer.id).inputs) {
      read[input.value] = !made[input.value] && !model.at(input).constant;
    }
  }
  return marked(read);
}

std::vector<TensorId> block_outputs(const Model& model, const FusedBlock& block) {
  const std::vector<bool> made = made_in(model, block);
  std::vector<bool> inside(model.layers.size(), false);
  for (const BlockLayer& layer : block.layers) inside[layer.id.value] = true;
  std::vector<bool> wanted(model.tensors.size(), false);
  for (const ModelOutput& output : model.outputs) {
    wanted[output.tensor.value] = made[output.tensor.value];
  }
  for (size_t i = 0; i < model.layers.size(); ++i) {
    if (inside[i]) continue;
    for (TensorId input : model.layers[i].inputs) {
      if (made[input.value]) wanted[input.value] = true;
    }
  }
  return marked(wanted);
}

}  // namespace shingle

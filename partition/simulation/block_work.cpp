#include "partition/simulation/block_work.hpp"

#include <algorithm>

#include "partition/model/each_constant.hpp"
#include "partition/plan/tile_cost.hpp"
#include "partition/simulation/block_memory.hpp"

namespace shingle {
namespace {

// The weights that a node's tiles read: by layer of the block, a range of output channels.
using Channels = std::vector<Span>;

// Sets costs and windows of the tile to which `program` belongs.
Duration measure(const Model& model, const NodeProfile& profile, const FusedBlock& block,
                 const TileProgram& program, Tile& tile, Channels& channels) {
  const Work work = work_of(profile, model, program);
  tile.macs = work.macs;
  tile.peak_bytes = peak_bytes(model, program);
  tile.inputs = program.inputs;
  size_t at = 0;
  for (const Step& step : program.steps) {
    while (block.layers[at].id != step.layer) ++at;
    channels[at] = hull(channels[at], step.output.c);
  }
  return Duration(static_cast<int64_t>(std::clamp(work.compute_ns, 1.0, 1e17)));
}

int64_t held_bytes(const Model& model, const FusedBlock& block, const Channels& channels) {
  int64_t bytes = 0;
  for (size_t i = 0; i < block.layers.size(); ++i) {
    const Layer& layer = model.at(block.layers[i].id);
    const int64_t all = std::max(1, model.at(layer.output).shape.c);
    bytes += weight_bytes(model, layer) * channels[i].size() / all;
  }
  return bytes;
}

void hold(std::vector<BlockBoxes>& boxes, NodeId home, uint32_t tile,
          const std::vector<Slice>& slices) {
  for (const Slice& slice : slices) {
    auto at = std::lower_bound(
        boxes.begin(), boxes.end(), slice.tensor,
        [](const BlockBoxes& box, TensorId tensor) { return box.tensor < tensor; });
    if (at == boxes.end() || at->tensor != slice.tensor) {
      at = boxes.insert(at, {slice.tensor, {}, {}});
    }
    at->boxes.push_back({home, slice.region});
    at->tiles.push_back(tile);
  }
}

}  // namespace

int64_t weight_bytes(const Model& model, const Layer& layer) {
  int64_t floats = 0;
  const auto add = [&](ConstantId id) { floats += model.at(id).count; };
  each_constant(layer.op, add);
  for (TensorId input : layer.inputs) {
    if (model.at(input).constant) add(*model.at(input).constant);
  }
  return floats * bytes_of(ElementType::f32);
}

std::vector<NodeProfile> profiles_of(const Cluster& cluster) {
  std::vector<NodeProfile> profiles;
  for (const ClusterNode& node : cluster.nodes) profiles.push_back(profile_of(node));
  return profiles;
}

size_t index_of(const Cluster& cluster, NodeId node) {
  const auto at = std::find_if(cluster.nodes.begin(), cluster.nodes.end(),
                               [&](const ClusterNode& each) { return each.id == node; });
  return static_cast<size_t>(at - cluster.nodes.begin());
}

MadeBlock made_block(const Model& model, const Cluster& cluster,
                     const std::vector<NodeProfile>& profiles, FusedBlock block) {
  MadeBlock made;
  const size_t nodes = cluster.nodes.size();
  made.busy.assign(nodes, Duration::zero());
  made.macs.assign(nodes, 0);
  std::vector<Channels> channels(nodes, Channels(block.layers.size()));
  std::optional<BlockMemory> memory;
  if (cluster.footprint) memory.emplace(model, cluster);
  for (uint32_t i = 0; i < block.tiles.size(); ++i) {
    Tile& tile = block.tiles[i];
    const size_t home = index_of(cluster, tile.home);
    made.homes.push_back(static_cast<uint32_t>(home));
    const TileProgram program = tile_program(model, block, tile.outputs);
    made.compute_times.push_back(
        measure(model, profiles[home], block, program, tile, channels[home]));
    if (memory) memory->add(home, program);
    made.busy[home] += made.compute_times.back() / std::max(1, profiles[home].slots);
    made.macs[home] += tile.macs;
    hold(made.inputs, tile.home, i, tile.inputs);
    hold(made.outputs, tile.home, i, tile.outputs);
  }
  made.buffers.assign(nodes, {});
  for (const Channels& read : channels) {
    made.weight_bytes.push_back(held_bytes(model, block, read));
  }
  if (memory) {
    made.weight_bytes = memory->weight_bytes();
    made.buffers = memory->buffers();
  }
  made.block = std::move(block);
  return made;
}

}  // namespace shingle

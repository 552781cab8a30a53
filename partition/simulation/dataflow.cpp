#include "partition/simulation/dataflow.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace shingle {
namespace {

class Compiler {
 public:
  Compiler(const Model& model, const Cluster& cluster, const std::vector<const MadeBlock*>& blocks,
           std::optional<NodeId> owner)
      : model_(model), cluster_(cluster), blocks_(blocks) {
    flow_.owner = static_cast<uint32_t>(owner ? index_of(cluster, *owner) : cluster.nodes.size());
    for (const MadeBlock* block : blocks) {
      first_tile_.push_back(tiles_);
      tiles_ += static_cast<uint32_t>(block->homes.size());
    }
  }

  Dataflow compile(const std::vector<LinkedAt>& links) {
    tiles();
    for (const LinkedAt& at : links) canvases(at);
    touched_by_tiles();
    frame_strips(links);
    for (const LinkedAt& at : links) {
      if (!at.linked->makers.empty()) made_strips(at);
    }
    leaving();
    local_readers();
    order();
    at_owner();
    return std::move(flow_);
  }

 private:
  // An item of a tile, before it is placed in one of the shared arrays.
  struct Of {
    uint32_t tile = 0, rank = 0, value = 0;
    friend auto operator<=>(const Of&, const Of&) = default;
  };

  uint32_t maker_tile(const LinkedAt& at, uint32_t maker) const {
    return first_tile_[at.maker] + at.linked->makers[maker];
  }
  uint32_t reader_tile(const LinkedAt& at, uint32_t reader) const {
    const auto& [block, tile] = at.linked->readers[reader];
    return first_tile_[at.readers[block]] + tile;
  }
  uint32_t node_of(NodeId id) const { return static_cast<uint32_t>(index_of(cluster_, id)); }

  void tiles() {
    flow_.tiles.reserve(tiles_);
    flow_.weight_bytes.assign(cluster_.nodes.size(), 0);
    flow_.buffers.assign(cluster_.nodes.size(), {});
    flow_.macs.assign(cluster_.nodes.size(), 0);
    for (uint32_t b = 0; b < blocks_.size(); ++b) {
      const MadeBlock& block = *blocks_[b];
      for (size_t i = 0; i < block.homes.size(); ++i) {
        Dataflow::TileTask task;
        task.node = block.homes[i];
        task.compute_time = block.compute_times[i];
        if (!cluster_.footprint) task.pass_bytes = block.block.tiles[i].peak_bytes;
        flow_.tiles.push_back(task);
        block_of_.push_back(b);
      }
      for (size_t node = 0; node < cluster_.nodes.size(); ++node) {
        flow_.weight_bytes[node] += block.weight_bytes[node];
        flow_.macs[node] += block.macs[node];
        flow_.buffers[node] = larger(flow_.buffers[node], block.buffers[node]);
      }
    }
  }

  void canvases(const LinkedAt& at) {
    const auto first = static_cast<int32_t>(flow_.canvases.size());
    for (const Linked::Canvas& canvas : at.linked->canvases) {
      flow_.canvases.push_back({canvas.node, canvas.users, canvas.bytes, canvas.pixel_bytes});
    }
    canvas_of_.resize(model_.tensors.size(), {0, nullptr});
    canvas_of_[at.linked->tensor.value] = {first, at.linked};
  }

  // REQUIRES: the node has a canvas of this tensor.
  int32_t canvas(TensorId tensor, uint32_t node) const {
    const auto& [first, linked] = canvas_of_[tensor.value];
    const auto at = std::lower_bound(
        linked->canvases.begin(), linked->canvases.end(), node,
        [](const Linked::Canvas& each, uint32_t other) { return each.node < other; });
    return first + static_cast<int32_t>(at - linked->canvases.begin());
  }

  int64_t resident(const Region& region, int32_t canvas) const {
    const int64_t pixels = int64_t{region.y.size()} * region.x.size();
    return pixels * flow_.canvases[static_cast<size_t>(canvas)].pixel_bytes;
  }

  Range touched(uint32_t node, const std::vector<Slice>& slices) {
    const auto begin = static_cast<uint32_t>(flow_.canvas_ids.size());
    for (const Slice& slice : slices) {
      const int32_t id = canvas(slice.tensor, node);
      flow_.canvas_ids.push_back(static_cast<uint32_t>(id));
      flow_.slice_bytes.push_back(resident(slice.region, id));
    }
    return {begin, static_cast<uint32_t>(flow_.canvas_ids.size())};
  }

  void touched_by_tiles() {
    uint32_t id = 0;
    for (const MadeBlock* block : blocks_) {
      for (const Tile& tile : block->block.tiles) {
        Dataflow::TileTask& task = flow_.tiles[id++];
        task.reads = touched(task.node, tile.inputs);
        task.writes = touched(task.node, tile.outputs);
      }
    }
  }

  // The order of the strips: every home's first tile, then every home's second tile, ...
  void frame_strips(const std::vector<LinkedAt>& links) {
    struct Brought {
      uint32_t tile = 0;
      const LinkedAt* at = nullptr;
      const Connection::Strip* strip = nullptr;
    };
    std::vector<Brought> brought;
    for (const LinkedAt& at : links) {
      if (!at.linked->makers.empty()) continue;
      for (const Connection::Strip& strip : at.linked->flow.strips) {
        brought.push_back({reader_tile(at, strip.maker), &at, &strip});
      }
    }
    std::stable_sort(brought.begin(), brought.end(),
                     [](const Brought& a, const Brought& b) { return a.tile < b.tile; });
    std::vector<Of> turns;  // tile: number of the tile on its home; rank: home
    std::vector<uint32_t> rounds(cluster_.nodes.size(), 0);
    for (uint32_t i = 0; i < brought.size(); ++i) {
      const uint32_t home = flow_.tiles[brought[i].tile].node;
      if (i > 0 && brought[i - 1].tile != brought[i].tile)
        ++rounds[flow_.tiles[brought[i - 1].tile].node];
      turns.push_back({rounds[home], home, i});
    }
    std::sort(turns.begin(), turns.end());
    for (const Of& turn : turns) {
      const Brought& next = brought[turn.value];
      flow_.from_frame.push_back(add_strip(*next.at, *next.strip, flow_.owner));
    }
  }

  void made_strips(const LinkedAt& at) {
    for (const Connection::Strip& strip : at.linked->flow.strips) {
      const uint32_t tile = maker_tile(at, strip.maker);
      const uint32_t id = add_strip(at, strip, flow_.tiles[tile].node);
      const uint32_t first =
          strip.readers.empty() ? UINT32_MAX : reader_tile(at, strip.readers.front());
      leaving_.push_back({tile, first, id});
    }
    for (const auto& [maker, reader] : at.linked->flow.local) {
      local_.push_back({maker_tile(at, maker), 0, reader_tile(at, reader)});
    }
  }

  uint32_t add_strip(const LinkedAt& at, const Connection::Strip& strip, uint32_t from) {
    Dataflow::StripTask task;
    task.from = from;
    task.to = strip.destination ? node_of(*strip.destination) : flow_.owner;
    task.bytes = strip.region.elements() * at.linked->element_bytes;
    task.block = static_cast<uint32_t>(blocks_.size());
    task.readers.begin = static_cast<uint32_t>(flow_.tile_ids.size());
    for (uint32_t reader : strip.readers) {
      const uint32_t tile = reader_tile(at, reader);
      task.block = std::min(task.block, block_of_[tile]);
      flow_.tile_ids.push_back(tile);
      ++flow_.tiles[tile].waits_for;
    }
    task.readers.end = static_cast<uint32_t>(flow_.tile_ids.size());
    const TensorId tensor = at.linked->tensor;
    if (!at.linked->makers.empty()) task.source_canvas = canvas(tensor, from);
    if (strip.destination) {
      task.target_canvas = canvas(tensor, task.to);
      task.written_bytes = resident(strip.region, task.target_canvas);
    } else {
      ++flow_.outcomes;
      task.result = result(tensor);
    }
    flow_.strips.push_back(task);
    return static_cast<uint32_t>(flow_.strips.size() - 1);
  }

  // The most urgent strips first.
  void leaving() {
    std::sort(leaving_.begin(), leaving_.end());
    for (const Of& strip : leaving_) {
      Range& range = flow_.tiles[strip.tile].leaving;
      if (range.begin == range.end) range.begin = static_cast<uint32_t>(flow_.strip_ids.size());
      flow_.strip_ids.push_back(strip.value);
      range.end = static_cast<uint32_t>(flow_.strip_ids.size());
    }
  }

  void local_readers() {
    std::sort(local_.begin(), local_.end());
    local_.erase(std::unique(local_.begin(), local_.end()), local_.end());
    for (const Of& local : local_) {
      Range& range = flow_.tiles[local.tile].local_readers;
      if (range.begin == range.end) range.begin = static_cast<uint32_t>(flow_.tile_ids.size());
      flow_.tile_ids.push_back(local.value);
      range.end = static_cast<uint32_t>(flow_.tile_ids.size());
      ++flow_.tiles[local.value].waits_for;
    }
  }

  // The runtime's order of ready tiles: by block, then those that other tiles wait for, then by id.
  void order() {
    flow_.by_order.resize(tiles_);
    std::iota(flow_.by_order.begin(), flow_.by_order.end(), 0U);
    std::vector<bool> is_home(cluster_.nodes.size(), false);
    for (size_t b = 0; b < blocks_.size(); ++b) {
      const auto begin = flow_.by_order.begin() + static_cast<std::ptrdiff_t>(first_tile_[b]);
      const auto end = begin + static_cast<std::ptrdiff_t>(blocks_[b]->homes.size());
      std::stable_partition(begin, end, [&](uint32_t tile) {
        const Range& range = flow_.tiles[tile].leaving;
        return range.begin != range.end;
      });
    }
    for (uint32_t i = 0; i < tiles_; ++i) {
      Dataflow::TileTask& task = flow_.tiles[flow_.by_order[i]];
      task.order = i;
      is_home[task.node] = true;
    }
    for (uint32_t i = 0; i < tiles_; ++i) {
      if (flow_.tiles[i].waits_for == 0) flow_.unprompted.push_back(i);
    }
    for (uint32_t node = 0; node < is_home.size(); ++node) {
      if (is_home[node]) flow_.homes.push_back(node);
    }
  }

  int64_t whole_bytes(TensorId id) const {
    return bytes_of(model_.at(id).shape, model_.at(id).type);
  }

  // Outputs of one tensor are one result.
  uint32_t result(TensorId tensor) {
    const auto [at, is_new] =
        result_of_.try_emplace(tensor, static_cast<uint32_t>(flow_.results.size()));
    if (is_new) flow_.results.push_back(whole_bytes(tensor));
    return at->second;
  }

  void at_owner() {
    for (TensorId input : model_.inputs) flow_.frame_bytes += whole_bytes(input);
    for (const ModelOutput& output : model_.outputs) result(output.tensor);
    flow_.outcome_bytes = std::accumulate(flow_.results.begin(), flow_.results.end(), int64_t{0});
  }

  const Model& model_;
  const Cluster& cluster_;
  const std::vector<const MadeBlock*>& blocks_;
  std::vector<uint32_t> first_tile_;  // by block
  std::vector<uint32_t> block_of_;    // by tile
  uint32_t tiles_ = 0;
  std::vector<std::pair<int32_t, const Linked*>> canvas_of_;  // by tensor: its first canvas
  std::map<TensorId, uint32_t> result_of_;
  std::vector<Of> leaving_, local_;
  Dataflow flow_;
};

}  // namespace

Dataflow dataflow(const Model& model, const Cluster& cluster,
                  const std::vector<const MadeBlock*>& blocks, Connections& connections,
                  std::optional<NodeId> owner) {
  return Compiler(model, cluster, blocks, owner).compile(connections.of(blocks));
}

Dataflow dataflow(const Model& model, const Cluster& cluster, const Plan& plan,
                  std::optional<NodeId> owner) {
  const std::vector<NodeProfile> profiles = profiles_of(cluster);
  std::vector<MadeBlock> made;
  made.reserve(plan.blocks.size());
  std::vector<const MadeBlock*> blocks;
  for (const FusedBlock& block : plan.blocks) {
    made.push_back(made_block(model, cluster, profiles, block));
    blocks.push_back(&made.back());
  }
  Connections connections(model, cluster);
  return dataflow(model, cluster, blocks, connections, owner);
}

}  // namespace shingle

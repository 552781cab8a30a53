// Plan: what is computed where. A plan cuts the layer graph into fused blocks, and each block into
// tiles. A tile computes its part of the block's outputs from windows on the outputs of earlier
// blocks (or on the frame), and has a home node.
//
//   frame --> [ block 0: tile tile tile tile ] --> [ block 1: tile tile ] --> outputs
//
// Plans are values. The canonical text below is sent and hashed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/time.hpp"
#include "partition/model/algorithm.hpp"
#include "partition/model/model.hpp"

namespace shingle {

// Largest number of frames, of all owners, of which a node holds parts at the same time. Nodes
// enforce it and simulations assume it: no more frames of one plan are open, even if a stream asks
// for more.
inline constexpr uint32_t frames_at_home = 8;

// Slice: a region of one tensor. A tile's windows and outputs are slices:
//
//   tensor 7  +------------------+
//             |    +=======+     |
//             |    | slice |     |      tensor 7, y 10..20 x 5..13 c 0..64
//             |    +=======+     |
//             +------------------+
struct Slice {
  TensorId tensor;
  Region region;
  friend bool operator==(const Slice&, const Slice&) = default;
};

struct Tile {
  TileId id;
  std::vector<Slice>
      inputs;  // windows on the block's input tensors, in tensor order; empty windows are left out
  std::vector<Slice> outputs;  // the tile's part of the block's output tensors, in tensor order
  NodeId home;
  int64_t macs = 0;        // really computed, halo and rounding to the granule included
  int64_t peak_bytes = 0;  // of the buffers inside the tile's pass
  friend bool operator==(const Tile&, const Tile&) = default;
};

struct BlockLayer {
  LayerId id;
  Algorithm algorithm = Algorithm::direct;
  friend bool operator==(const BlockLayer&, const BlockLayer&) = default;
};

struct FusedBlock {
  std::vector<BlockLayer> layers;  // ids ascending
  std::vector<Tile> tiles;
  friend bool operator==(const FusedBlock&, const FusedBlock&) = default;
};

// How the pieces of a tensor are coded on the wire. Both are lossless: u8 is only for tensors whose
// elements are u8. wire_bytes() (routes.hpp) says how many bytes a plan's pieces take.
enum class WireFormat : uint8_t { f32, u8 };
inline WireFormat wire_format(ElementType type) {
  return type == ElementType::u8 ? WireFormat::u8 : WireFormat::f32;
}
inline int64_t bytes_of(WireFormat format) {
  return bytes_of(format == WireFormat::u8 ? ElementType::u8 : ElementType::f32);
}
std::vector<WireFormat> wire_formats(const Model& model);  // by tensor

// Which nodes keep a tile's weights ready. Every other node packs them when it has to compute the
// tile.
enum class WeightPlaces : uint8_t {
  everywhere,  // all nodes, so that each may borrow any tile
  at_home,     // homes of tiles of the same block and channels; for capped memory
};

struct Prediction {
  Duration latency{};
  Duration period{};       // in a steady stream, between two frames
  int64_t wire_bytes = 0;  // per frame
  int64_t peak_bytes = 0;  // of the node that uses most
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

struct Plan {
  ModelHash model;
  // Copied from the model: a node needs it to make the model from its file.
  std::optional<SizedInputs> sized;
  std::optional<ImageInput> image;
  std::vector<FusedBlock> blocks;
  std::vector<WireFormat> wire;  // by tensor
  WeightPlaces weights = WeightPlaces::everywhere;
  Prediction predicted;
  friend bool operator==(const Plan&, const Plan&) = default;
};

int32_t tile_count(const Plan& plan);
const Tile& tile(const Plan& plan, TileId id);  // REQUIRES: id < tile_count
// The layers with the algorithm that the rule `use` chooses for each.
std::vector<BlockLayer> block_layers(const Model& model, const std::vector<LayerId>& ids,
                                     WinogradUse use);
// All layers of the model with the plan's algorithms; direct where the plan lacks a layer.
std::vector<BlockLayer> block_layers(const Model& model, const Plan& plan);
std::vector<LayerId> layer_ids(const FusedBlock& block);
std::vector<LayerId> winograd_layers(const FusedBlock& block);
std::vector<LayerId> winograd_layers(const Plan& plan);  // of all blocks, ascending
size_t block_of(const Plan& plan, TileId id);
std::vector<NodeId> homes(const Plan& plan);  // ascending, without duplicates

// True if the node keeps the weights of this tile ready. REQUIRES: id < tile_count.
bool keeps_weights(const Plan& plan, NodeId node, TileId id);

// parse(print(p)) == p. The parser accepts hostile text: sizes are bounded, and an error names the
// line.
std::string print(const Plan& plan);
Result<Plan> parse_plan(std::string_view text);
PlanHash hash_of(const Plan& plan);  // of the canonical text without the prediction

// Block inputs: tensors (no constants) that the block's layers read but do not make. Block outputs:
// tensors that they make and that later blocks or the model's outputs read. Ascending.
std::vector<TensorId> block_inputs(const Model& model, const FusedBlock& block);
std::vector<TensorId> block_outputs(const Model& model, const FusedBlock& block);

// What is wrong with a plan, one sentence each; empty means sound. It shares no code with the
// planner, so that it is an independent check: every layer in exactly one block; blocks in
// dependency order; tiles disjoint and covering every block output; each window exactly what the
// tile's outputs need (found by brute force with receptive_field()); homes, ids, algorithms and
// wire formats valid.
std::vector<std::string> defects(const Plan& plan, const Model& model);
// The same; in addition every home must be one of `members`.
std::vector<std::string> defects(const Plan& plan, const Model& model,
                                 const std::vector<NodeId>& members);

// A picture for people, `columns` wide: blocks as rows, maps cut into tiles with their homes, MACs
// and windows.
std::string draw(const Plan& plan, const Model& model, int columns = 100);

}  // namespace shingle

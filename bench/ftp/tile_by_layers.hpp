// TileByLayers: one of FTP's tiles computed by an executor, layer by layer, so that strips can come
// in and go out between any two layers.
//
//   input --layer 0--> [map] --+ strips of others --layer 1--> [map] --+ ... --> output
//                        '--> strips for others                  '--> ...
#pragma once

#include "devices/executor/executor.hpp"
#include "partition/deepthings/ftp_tiles.hpp"

namespace shingle::ftp {

// A block's geometry, on every machine alike. The model must outlive it.
struct Block {
  const Model* model = nullptr;
  FtpScheme scheme;
  std::vector<LayerId> layers;
  std::vector<FtpTile> tiles;
  TileProgram rest;
};
Result<Block> block_of(const Model& model, const FtpScheme& scheme);

using Floats = std::vector<float>;

struct ComputedTile {
  Floats output;
  std::vector<Floats> strips;  // of an even tile: by FtpTile::strips
  int64_t macs = 0;            // really computed
};

class TileByLayers {
 public:
  // Both must outlive it.
  TileByLayers(const Block& block, Executor& executor) : block_(block), executor_(executor) {}

  // Packs weights for all tiles.
  Status prepare();
  // `input`: way.input of the model's input. `strips`: by FtpTile::strips where the tile reuses,
  // else none.
  Result<ComputedTile> compute(uint32_t tile, bool reuses, const Floats& input,
                               const std::vector<Floats>& strips);

 private:
  TileProgram program(size_t layer, const Region& output) const;

  const Block& block_;
  Executor& executor_;
};

// Any program on whole f32 tensors: its outputs. REQUIRES: prepared.
Result<std::vector<Floats>> run_program(Executor& executor, const TileProgram& program,
                                        std::span<const Floats> inputs);

// Part of a map, dense; and back. REQUIRES: the region lies in the map's.
Floats cut(const Floats& map, const Region& of, const Region& region);
void paste(const Floats& part, const Region& region, Floats& map, const Region& of);

}  // namespace shingle::ftp

// The geometry of FTP's tiles (ftp.hpp): what each tile computes of every layer, what it receives,
// and what it shares.
#pragma once

#include "partition/deepthings/ftp.hpp"
#include "partition/plan/program.hpp"

namespace shingle {

// A part of the output of a layer of the block: an even tile computes it, an odd neighbour reads
// it.
struct FtpStrip {
  size_t layer = 0;  // index in the block
  Region region;
  uint32_t even = 0, odd = 0;  // tile indices
  int64_t bytes() const { return bytes_of(region, ElementType::f32); }
  friend bool operator==(const FtpStrip&, const FtpStrip&) = default;
};

// One way to compute a tile.
struct FtpWay {
  Region input;                  // of the model's input tensor
  std::vector<Region> computed;  // by layer of the block; the last one is the tile's output
  bool stitches = false;         // the input of each layer is put together with neighbours' strips
  int64_t input_bytes() const { return bytes_of(input, ElementType::f32); }
};

struct FtpTile {
  int32_t row = 0, column = 0;
  FtpWay alone;    // with the whole halo
  FtpWay reusing;  // odd tiles: with all their strips; even tiles: the same as `alone`
  std::vector<FtpStrip> strips{};  // odd tiles: those they receive; even tiles: those they share
  bool is_even() const { return (row + column) % 2 == 0; }
  int64_t output_bytes() const { return bytes_of(alone.computed.back(), ElementType::f32); }
};

// The model's first layers that belong to the scheme's block.
Result<std::vector<LayerId>> ftp_layers(const Model& model, const FtpScheme& scheme);

// Row by row. Each strip is listed at both of its tiles. REQUIRES: `layers` is a chain that begins
// at the model's input.
std::vector<FtpTile> ftp_tiles(const Model& model, const std::vector<LayerId>& layers,
                               const FtpScheme& scheme);

// The order in which tiles are taken: even ones first.
std::vector<uint32_t> ftp_order(const std::vector<FtpTile>& tiles);

// The region that a layer of the block reads for `output`; empty if `output` is empty.
Region ftp_reads(const Model& model, LayerId layer, const Region& output);

// The layers after the block, from its output to the model's outputs. No steps if there are none.
TileProgram ftp_rest(const Model& model, const std::vector<LayerId>& layers);

}  // namespace shingle

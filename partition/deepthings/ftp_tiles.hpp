// The geometry of FTP's tiles (ftp.hpp): what each computes of every layer, what it is given, and
// what it shares.
#pragma once

#include "partition/deepthings/ftp.hpp"
#include "partition/plan/program.hpp"

namespace shingle {

// Part of what a layer of the block puts out: an even tile computes it, an odd neighbour reads it.
struct FtpStrip {
  size_t layer = 0;  // of the block
  Region region;
  uint32_t even = 0, odd = 0;  // tiles
  int64_t bytes() const { return bytes_of(region, ElementType::f32); }
  friend bool operator==(const FtpStrip&, const FtpStrip&) = default;
};

// One way to compute a tile.
struct FtpWay {
  Region input;                  // of the model's input tensor
  std::vector<Region> computed;  // by layer of the block; of the last: the tile's output
  int64_t input_bytes() const { return bytes_of(input, ElementType::f32); }
};

struct FtpTile {
  int32_t row = 0, column = 0;
  FtpWay alone;                    // with all of its halo
  FtpWay reusing;                  // of odd tiles, with all their strips; else the same as `alone`
  std::vector<FtpStrip> strips{};  // of odd tiles: what they take; of even ones: what they give
  bool is_even() const { return (row + column) % 2 == 0; }
  int64_t output_bytes() const { return bytes_of(alone.computed.back(), ElementType::f32); }
};

// The model's first layers up to the last place that the scheme counts.
Result<std::vector<LayerId>> ftp_layers(const Model& model, const FtpScheme& scheme);

// Row by row; each strip with both of its tiles. REQUIRES: `layers` is a chain that begins at the
// model's input.
std::vector<FtpTile> ftp_tiles(const Model& model, const std::vector<LayerId>& layers,
                               const FtpScheme& scheme);

// In the order in which they are taken: even ones first.
std::vector<uint32_t> ftp_order(const std::vector<FtpTile>& tiles);

// What a layer of the block reads for that part of its output; empty for none.
Region ftp_reads(const Model& model, LayerId layer, const Region& output);

// The layers behind the block: from its output to the model's outputs. No steps if there are none.
TileProgram ftp_rest(const Model& model, const std::vector<LayerId>& layers);

}  // namespace shingle

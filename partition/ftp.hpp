// FTP: DeepThings' fused tile partitioning as its paper and code describe it, to compare with: one
// deep block in a grid, everything through a gateway that computes no tile.
//
//   gateway --input--> even tiles, halos and all --what they share with odd ones--> gateway
//                                                                                      |
//   gateway <--outputs-- odd tiles: only what no even neighbour has <--input, shared---+
//
// A device asks for its next tile when all that one gave is sent, finds work at the next poll, and
// gets what the tile needs in f32. The layers after the block run on the gateway.
//
// Known as "ftp:5x5:16+reuse": the grid, the layers (as Darknet counts them: convolutions and
// pools), and whether odd tiles reuse. It is simulated like a plan is, but no plan: a layer's map
// is computed twice where tiles overlap, and half of the tiles skip parts that others made.
#pragma once

#include <string_view>

#include "partition/timeline.hpp"

namespace shingle {

struct FtpScheme {
  int32_t rows = 5, columns = 5;
  int32_t layers = 16;
  bool reuse = false;
  // For each tile, besides its arithmetic. On a Pi 3 about 0.29 s: of one device's runs in the
  // paper (18.2 s with 3x3 tiles, 24.9 s with 5x5, both with reuse) that much is left for each
  // tile.
  int64_t tile_overhead_ns = 0;
  friend bool operator==(const FtpScheme&, const FtpScheme&) = default;
};

// A sentence that says how it is written for anything else.
Result<FtpScheme> parse_ftp(std::string_view text);

struct FtpRun {
  double redundancy = 0.0;   // of the block: MACs over those of its layers, less 1
  int64_t input_bytes = 0;   // to the tiles; needed pixels only
  int64_t shared_bytes = 0;  // between even and odd tiles, counted once
  int64_t output_bytes = 0;  // of the block
  Timeline line;             // one frame; the cluster's nodes, then the gateway
};

// `gateway`: what the seventh of six hosts is like; its id must not be in the cluster. An error
// where the model's first layers are no chain of maps, or fewer than asked.
Result<FtpRun> simulate_ftp(const Model& model, const Cluster& cluster, const ClusterNode& gateway,
                            const FtpScheme& scheme);

}  // namespace shingle

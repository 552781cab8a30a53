// The geometry of FTP's tiles (ftp.hpp): what each computes of every layer, and what it is given.
#pragma once

#include "partition/ftp.hpp"

namespace shingle {

// What an odd tile gets from its even neighbours, or an even tile from none.
struct FtpTile {
  int32_t row = 0, column = 0;
  std::vector<Region> computed;  // by layer of the block
  Region input;
  int64_t shared_bytes = 0;
  int64_t output_bytes = 0;
  bool is_even() const { return (row + column) % 2 == 0; }
};

// The model's first layers up to the last place that the scheme counts.
Result<std::vector<LayerId>> ftp_layers(const Model& model, const FtpScheme& scheme);

// Row by row. REQUIRES: `layers` is a chain that begins at the model's input.
std::vector<FtpTile> ftp_tiles(const Model& model, const std::vector<LayerId>& layers,
                               const FtpScheme& scheme);

}  // namespace shingle

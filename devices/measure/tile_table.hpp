// Tables of measured tile times in the format of DeepThings' authors, a file each:
//
//   name_of_function   frame#  partition#  reuse  calling#  avg_time
//   forward_partition  0       1           1      1         1054551.000000      microseconds
//
// The file's name says what was measured: "3x3_grid_16_layers_1_core.prof". Tiles are numbered row
// by row; `reuse` is 1 where the tile used its neighbours' data. Only forward_partition (the tile's
// compute) and load_image_as_model_input are used; other functions are skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"
#include "partition/base/time.hpp"
#include "partition/deepthings/ftp.hpp"

namespace shingle {

struct MeasuredTile {
  uint32_t tile = 0;
  bool reuses = false;
  double mean_ns = 0.0;  // over the frames
  friend bool operator==(const MeasuredTile&, const MeasuredTile&) = default;
};

struct TileTable {
  std::string name;  // of the file, without folder and ".prof"
  int32_t rows = 0, columns = 0, layers = 0, cores = 0;
  std::vector<MeasuredTile> tiles{};  // ascending; each at most once in each way
  Duration loading{};                 // of a frame; 0: not measured
  FtpScheme scheme() const {
    return {.rows = rows, .columns = columns, .layers = layers, .reuse = true};
  }
};

// `file_name`: with or without folder. The text may be hostile.
Result<TileTable> parse_tile_table(std::string_view text, std::string_view file_name);
// The text of which parse_tile_table() makes the same tiles.
std::string print(const TileTable& table);

// A file, or all files of a folder whose names are those of tile tables; in the order of their
// names. An error if there are none.
Result<std::vector<TileTable>> load_tile_tables(const std::string& path);

// The processor's time for a packet, from a profile of lwIP's functions in the same format
// ("lwip_1_core.prof"): sending is tcp_write and etharp_output, receiving is tcp_input,
// netconn_recv and sys_timeouts_mbox_fetch, each with its mean time.
struct PacketCosts {
  Duration send{}, receive{};
};
Result<PacketCosts> parse_packet_costs(std::string_view text, std::string_view file_name);
Result<PacketCosts> load_packet_costs(const std::string& path);

// By tile for FtpSimulation; an error if the table lacks a tile that reuses nothing.
Result<std::vector<FtpTileTime>> tile_times(const TileTable& table);

}  // namespace shingle

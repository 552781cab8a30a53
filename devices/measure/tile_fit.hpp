// Fits Darknet's costs to measured tiles, holds them against others, and carries a table to another
// board of which a few tiles are known.
//
//   fit:       min sum over tiles ( (work . cost) / measured - 1 )^2,  cost >= 0
//   retarget:  time there = sum over groups of costs  factor_g * (its part of the time here)
//
// The groups are what scales alike: multiplying; packing columns and weights; writing and pooling
// maps; copying inputs together. The probe gives the factors, by least squares of the relative
// errors; a little weight pulls each towards the factor of all together, because a probe of 5 s
// hardly tells some apart.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/measure/tile_table.hpp"
#include "partition/deepthings/ftp_darknet.hpp"

namespace shingle {

// A measured tile with what it does.
struct TileSample {
  size_t table = 0;  // index of its table
  MeasuredTile tile;
  DarknetWork work{};
};

// Of all tables. An error if a table's grid or layers are not possible on YOLOv2's block.
Result<std::vector<TileSample>> tile_samples(const std::vector<TileTable>& tables);

struct TileErrors {  // relative, of predicted to measured
  double mean = 0.0, worst = 0.0;
  size_t count = 0, worst_sample = 0;
};

// REQUIRES: samples not empty.
DarknetCost fit_darknet(const std::vector<TileSample>& samples);
TileErrors errors_of(const DarknetCost& cost, const std::vector<TileSample>& samples);

// --- to another board
// -----------------------------------------------------------------------------

inline constexpr size_t retarget_groups = 4;

struct RetargetOptions {
  // The factor of copying, if it is known: 1 for the same board with other cores, since one thread
  // copies. None: fitted like the others.
  std::optional<double> copies = 1.0;
};

struct Retargeting {
  DarknetCost here;                               // fitted to the table that is carried
  std::array<double, retarget_groups> factors{};  // there / here: multiply, pack, maps, copies
  // What to expect: the mean and the worst error of each tile of the probe as the others predict
  // it.
  double expected_mean = 0.0, expected_worst = 0.0;
};

// A probe's tile with the same tile here.
struct ProbeTile {
  TileSample here;
  double there_ns = 0.0;
};

// REQUIRES: at least two tiles in the probe; `samples` not empty.
Retargeting retarget(const std::vector<TileSample>& samples, const std::vector<ProbeTile>& probe,
                     const RetargetOptions& options = {});
double retargeted_ns(const Retargeting& retargeting, const TileSample& here);

// Tiles that are in both, matched by grid, layers, tile and way; tables of any number of cores.
std::vector<ProbeTile> matched(const std::vector<TileTable>& tables_here,
                               const std::vector<TileSample>& here,
                               const std::vector<TileTable>& tables_there,
                               const std::vector<TileSample>& there);

// Drawn until they take this long there: indices into `tiles`.
std::vector<size_t> draw_probe(const std::vector<ProbeTile>& tiles, Duration time, uint64_t seed);

}  // namespace shingle

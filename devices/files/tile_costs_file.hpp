// Darknet's costs for tiles of a board, fitted to tables of measured times (`shingle profile
// --fit`), as a TOML file:
//
//   name = "pi3-tile-times"            # of what was measured
//
//   [[costs]]                          # one for each number of cores that was measured
//   cores = 1
//   tiles = 296                        # that they were fitted to, ...
//   mean_error = 0.003                 # ... and how well they give these, relative
//   worst_error = 0.014
//   ns_per_mac = 0.6                   # and the other costs of DarknetCost (ftp.hpp)
//
// Every other key is an error that names its line. Parsing the printed text gives the same value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"
#include "partition/deepthings/ftp.hpp"

namespace shingle {

struct FittedCosts {
  int32_t cores = 1;
  int64_t tiles = 0;
  double mean_error = 0.0, worst_error = 0.0;
  DarknetCost cost{};
  friend bool operator==(const FittedCosts&, const FittedCosts&) = default;
};

struct TileCosts {
  std::string name;
  std::vector<FittedCosts> costs;  // ascending in cores
  friend bool operator==(const TileCosts&, const TileCosts&) = default;
};

Result<TileCosts> parse_tile_costs(std::string_view text, std::string_view file_name);
std::string print(const TileCosts& costs);
Result<TileCosts> load_tile_costs(const std::string& path);

}  // namespace shingle

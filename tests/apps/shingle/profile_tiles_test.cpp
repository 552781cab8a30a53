// `shingle profile --fit`, `--check` and `--retarget`, with tables that were made for the test.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "devices/files/tile_costs_file.hpp"
#include "devices/measure/tile_fit.hpp"
#include "tests/apps/program.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

constexpr DarknetCost one_core{.ns_per_mac = 0.6,
                               .ns_per_gathered = 40.0,
                               .ns_per_pointwise = 50.0,
                               .ns_per_element = 20.0,
                               .ns_per_weight = 30.0,
                               .ns_per_pooled = 50.0,
                               .ns_per_stitched = 6.0};
constexpr DarknetCost two_cores{.ns_per_mac = 0.3,
                                .ns_per_gathered = 24.0,
                                .ns_per_pointwise = 30.0,
                                .ns_per_element = 14.0,
                                .ns_per_weight = 18.0,
                                .ns_per_pooled = 35.0,
                                .ns_per_stitched = 6.0};

// Of both grids and three depths, exactly as the costs say.
void write_tables(const ScratchFolder& folder, int32_t cores, const DarknetCost& cost) {
  for (int32_t grid : {3, 4}) {
    for (int32_t layers : {4, 8, 16}) {
      TileTable table{.name = std::to_string(grid) + "x" + std::to_string(grid) + "_grid_" +
                              std::to_string(layers) + "_layers_" + std::to_string(cores) + "_core",
                      .rows = grid,
                      .columns = grid,
                      .layers = layers,
                      .cores = cores};
      for (uint32_t tile = 0; tile < static_cast<uint32_t>(grid * grid); ++tile) {
        table.tiles.push_back({.tile = tile});
        if ((tile / static_cast<uint32_t>(grid) + tile % static_cast<uint32_t>(grid)) % 2 == 1)
          table.tiles.push_back({.tile = tile, .reuses = true});
      }
      const std::vector<TileSample> samples = tile_samples({table}).value();
      for (const TileSample& sample : samples)
        for (MeasuredTile& tile : table.tiles)
          if (tile.tile == sample.tile.tile && tile.reuses == sample.tile.reuses)
            tile.mean_ns = in_nanoseconds(darknet_time(cost, sample.work));
      folder.with_text(table.name + ".prof", print(table));
    }
  }
}

std::string tables_of_both(const ScratchFolder& folder) {
  write_tables(folder, 1, one_core);
  write_tables(folder, 2, two_cores);
  return folder / ".";
}

}  // namespace

TEST_CASE("costs fitted to one grid are checked on the other, as a table and as JSON") {
  const ScratchFolder folder;
  const std::string tables = tables_of_both(folder);
  Program table({"profile", "--fit", tables, "--grid", "3x3", "--check", tables});
  REQUIRE_MESSAGE(table.end() == "exit code 0", table.err());
  CHECK(table.out().find("all of 2 cores") != std::string::npos);
  CHECK(table.out().find("3x3_grid") == std::string::npos);

  const std::string file = folder / "costs.toml";
  Program json(
      {"profile", "--fit", tables, "--grid", "3x3", "--check", tables, "--json", "--out", file});
  REQUIRE_MESSAGE(json.end() == "exit code 0", json.err());
  const Json told = Json::parse(json.out());
  CHECK(told["fitted"].size() == 2);
  CHECK(told["checked"].size() == 8);  // three tables and their sum, of one and of two cores
  for (const Json& row : told["checked"]) CHECK(row["worst_error"].get<double>() < 1e-3);
  const auto written = load_tile_costs(file);
  REQUIRE_MESSAGE(written.ok(), written.error());
  CHECK(written->costs[1].cost.ns_per_mac == doctest::Approx(0.3).epsilon(0.01));

  Program with({"profile", "--check", tables, "--with", file, "--json"});
  REQUIRE_MESSAGE(with.end() == "exit code 0", with.err());
  CHECK(Json::parse(with.out())["checked"].size() == 14);
}

TEST_CASE("a table is carried to two cores by drawn tiles, and written for them") {
  const ScratchFolder folder;
  const std::string tables = tables_of_both(folder), there = folder / "there";
  Program carry(
      {"profile", "--fit", tables, "--retarget", tables, "--seed", "3", "--json", "--out", there});
  REQUIRE_MESSAGE(carry.end() == "exit code 0", carry.err());
  const Json told = Json::parse(carry.out());
  CHECK(told["factors"]["multiply"].get<double>() == doctest::Approx(0.5).epsilon(0.05));
  CHECK(told["factors"]["copies"].get<double>() == 1.0);
  CHECK(told["rest"]["worst_error"].get<double>() < 0.03);
  CHECK(told["expected_worst_error"].get<double>() < 0.03);
  const auto written = load_tile_tables(there);
  REQUIRE_MESSAGE(written.ok(), written.error());
  CHECK(written->size() == 6);
}

TEST_CASE("what is wrong with tables of tiles is one sentence, and the exit code says whose") {
  const ScratchFolder folder;
  const std::string tables = tables_of_both(folder);
  const auto ends = [](const std::vector<std::string>& words, const std::string& code,
                       const std::string& sentence) {
    Program program(words);
    CHECK(program.end() == "exit code " + code);
    INFO(program.err());
    CHECK(program.err().find(sentence) != std::string::npos);
  };
  ends({"profile", "--fit", folder / "absent"}, "3", "cannot be opened");
  ends({"profile", "--fit", tables, "--grid", "7x7"}, "3", "has no table of the grid 7x7");
  ends({"profile", "--retarget", tables}, "2", "--fit");
  ends({"profile", "--with", "costs.toml", "--check", tables}, "3", "cannot be opened");
  folder.with_text("2x2_grid_4_layers_1_core.prof", "nonsense\n");
  ends({"profile", "--fit", tables}, "3", "2x2_grid_4_layers_1_core.prof:1: ");
}

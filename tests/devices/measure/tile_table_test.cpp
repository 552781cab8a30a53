// Tables of tile times: what is read, printed and refused; the shared ones fitted and checked.
#include "devices/measure/tile_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "devices/measure/tile_fit.hpp"
#include "tests/places.hpp"

using namespace shingle;

namespace {

const std::string header = "name_of_function\tframe#\tpartition#\treuse\tcalling#\tavg_time\n";
const std::string good_name = "2x2_grid_4_layers_1_core.prof";

std::string error_of(const std::string& text, const std::string& name = good_name) {
  const auto table = parse_tile_table(text, name);
  return table ? "" : table.error();
}

bool says(const std::string& sentence, const std::string& part) {
  INFO(sentence);
  return sentence.find(part) != std::string::npos;
}

// Folder of the tile times by DeepThings' authors; empty if it is not there.
std::string shared_folder() {
  const char* data = std::getenv("SHINGLE_DATA");
  const std::string folder = (data != nullptr ? data : source_folder() + "/../shared/data") +
                             std::string("/pi3-tile-times");
  return std::ifstream(folder + "/3x3_grid_16_layers_1_core.prof") ? folder : std::string();
}

std::vector<TileTable> some(const std::vector<TileTable>& tables, int32_t grid, int32_t cores) {
  std::vector<TileTable> chosen;
  for (const TileTable& table : tables)
    if ((grid == 0 || table.rows == grid) && table.cores == cores) chosen.push_back(table);
  return chosen;
}

}  // namespace

TEST_CASE("a table has the mean of each tile over the frames, and what its name says") {
  const auto table = parse_tile_table(header +
                                          "self_reuse_data_serialization\t0\t0\t1\t2\t753.5\n"
                                          "forward_partition\t0\t3\t1\t1\t1000.0\n"
                                          "forward_partition\t1\t3\t1\t1\t1100.0\n"
                                          "forward_partition 0 0 0 2 500.5\r\n\n"
                                          "load_image_as_model_input\t0\t0\t0\t2\t125642.0\n",
                                      "folder/" + good_name);
  REQUIRE_MESSAGE(table.ok(), table.error());
  CHECK(table->name == "2x2_grid_4_layers_1_core");
  CHECK(table->layers == 4);
  CHECK(table->cores == 1);
  REQUIRE(table->tiles.size() == 2);
  CHECK(table->tiles[0] == MeasuredTile{.tile = 0, .reuses = false, .mean_ns = 500'500.0});
  CHECK(table->tiles[1] == MeasuredTile{.tile = 3, .reuses = true, .mean_ns = 1'050'000.0});
  CHECK(table->loading == std::chrono::microseconds(125'642));
  CHECK(parse_tile_table(print(*table), good_name)->tiles == table->tiles);
}

TEST_CASE("a table that is none is refused with one sentence that names the line") {
  CHECK(says(error_of(""), "is empty"));
  CHECK(says(error_of("nonsense\n"), ":1: a table of tile times begins with"));
  CHECK(says(error_of(header), "has no row of forward_partition"));
  CHECK(says(error_of(header + "forward_partition 0 0 0 1\n"), ":2: a row is a function"));
  CHECK(says(error_of(header + "forward_partition 0 0 0 1 x\n"), ":2: a row is a function"));
  CHECK(says(error_of(header + "forward_partition 0 0 0 1 1e11\n"), ":2: a row is a function"));
  CHECK(says(error_of(header + "forward_partition 0 0 0 1 inf\n"), ":2: a row is a function"));
  CHECK(says(error_of(header + "forward_partition 0 -1 0 1 1\n"), ":2: a row is a function"));
  CHECK(says(error_of(header + "forward_partition 0 0.5 0 1 1\n"), ":2: a row is a function"));
  CHECK(says(error_of(header + "forward_partition 0 4 0 1 1\n"), ":2: the grid has 4 tiles"));
  CHECK(says(error_of(header + "forward_partition 0 0 2 1 1\n"), "'reuse' is 0 or 1"));
  CHECK(says(error_of(header + "forward_partition 0 0 0 1 0\n"), "takes no time"));
  CHECK(says(error_of(std::string(5 << 20, 'a')), "larger than 4 MiB"));
  for (const char* name : {"table.prof", "0x2_grid_4_layers_1_core.prof",
                           "2x2_grid_4_layers_1_cores.prof", "99999999999x2_grid_4_layers_1_core"})
    CHECK(says(error_of(header, name), "is no name of a tile table"));
  CHECK(says(load_tile_tables("/nowhere").error(), "cannot be opened"));
}

TEST_CASE("the time of packets is that of lwIP's functions for each") {
  const std::string text =
      "name_of_function input1 input2 input3 calling# avg_time_usec\n"
      "tcp_input 0 0 0 556 14.5\ntcp_write 0 0 0 224 8.0\n"
      "sys_timeouts_mbox_fetch 0 0 0 918 50.0\nnetconn_recv 0 0 0 337 20.0\n"
      "etharp_output 0 0 0 556 32.0\n";
  const auto costs = parse_packet_costs(text, "lwip_1_core.prof");
  REQUIRE_MESSAGE(costs.ok(), costs.error());
  CHECK(costs->send == std::chrono::microseconds(40));
  CHECK(costs->receive == std::chrono::nanoseconds(84'500));
  CHECK(says(parse_packet_costs(header, "lwip.prof").error(), "has no row of tcp_write"));
}

TEST_CASE("costs that were given are found again, and those that nothing tells are 0") {
  const DarknetCost cost{.ns_per_mac = 0.6,
                         .ns_per_gathered = 40.0,
                         .ns_per_pointwise = 50.0,
                         .ns_per_element = 20.0,
                         .ns_per_weight = 30.0,
                         .ns_per_pooled = 50.0,
                         .ns_per_stitched = 6.0};
  std::vector<TileTable> tables;
  for (int32_t layers : {4, 6, 8, 12, 16}) {
    TileTable table{.name = "made", .rows = 3, .columns = 4, .layers = layers, .cores = 1};
    for (uint32_t tile = 0; tile < 12; ++tile) table.tiles.push_back({.tile = tile});
    for (uint32_t tile : {1U, 3U, 4U, 6U, 9U})
      table.tiles.push_back({.tile = tile, .reuses = true});
    tables.push_back(table);
  }
  std::vector<TileSample> samples = tile_samples(tables).value();
  for (TileSample& sample : samples)
    sample.tile.mean_ns = in_nanoseconds(darknet_time(cost, sample.work));
  const auto fitted = values_of(fit_darknet(samples)), given = values_of(cost);
  for (size_t term = 0; term < darknet_terms; ++term)
    CHECK(fitted[term] == doctest::Approx(given[term]).epsilon(1e-3));
  CHECK(errors_of(fit_darknet(samples), samples).worst < 1e-6);

  std::erase_if(samples, [](const TileSample& sample) { return sample.tile.reuses; });
  CHECK(fit_darknet(samples).ns_per_stitched == 0.0);
}

TEST_CASE("a table of a network that is not YOLOv2's block is refused") {
  const TileTable deep{.name = "deep", .rows = 3, .columns = 3, .layers = 17, .cores = 1};
  CHECK(says(tile_samples({deep}).error(), "deep does not fit YOLOv2's first 16 layers"));
}

TEST_CASE("costs fitted to one grid of a Pi 3 give the other's tiles: mean 2 %, worst 8 %") {
  const std::string folder = shared_folder();
  if (folder.empty()) {
    MESSAGE("skipped: no pi3-tile-times in the shared data");
    return;
  }
  const auto tables = load_tile_tables(folder).value();
  CHECK(tables.size() == 16);
  for (int32_t cores : {1, 2}) {
    for (int32_t grid : {3, 4}) {
      const auto there = tile_samples(some(tables, 7 - grid, cores)).value();
      const DarknetCost cost = fit_darknet(tile_samples(some(tables, grid, cores)).value());
      const TileErrors errors = errors_of(cost, there);
      INFO(cores << " cores, from " << grid << ": " << errors.mean << ", " << errors.worst);
      CHECK(errors.count > 50);
      CHECK(errors.mean <= 0.02);
      CHECK(errors.worst <= 0.08);
    }
  }
}

TEST_CASE(
    "a table carried to two cores by drawn tiles of 5 s gives the others: mean 2, worst 6 %") {
  const std::string folder = shared_folder();
  if (folder.empty()) {
    MESSAGE("skipped: no pi3-tile-times in the shared data");
    return;
  }
  const auto all = load_tile_tables(folder).value();
  const auto here = some(all, 0, 1), there = some(all, 0, 2);
  const auto samples = tile_samples(here).value();
  const auto tiles = matched(here, samples, there, tile_samples(there).value());
  CHECK(tiles.size() == samples.size());
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    std::vector<ProbeTile> probe, rest = tiles;
    std::vector<size_t> drawn = draw_probe(tiles, std::chrono::seconds(5), seed);
    std::sort(drawn.begin(), drawn.end(), std::greater<>());
    for (size_t index : drawn) {
      probe.push_back(tiles[index]);
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(index));
    }
    const Retargeting carried = retarget(samples, probe);
    double mean = 0.0, worst = 0.0;
    for (const ProbeTile& tile : rest) {
      const double error = std::abs(retargeted_ns(carried, tile.here) / tile.there_ns - 1.0);
      mean += error / static_cast<double>(rest.size());
      worst = std::max(worst, error);
    }
    INFO("seed " << seed << ": " << drawn.size() << " tiles, " << mean << ", " << worst);
    CHECK(mean <= 0.02);
    CHECK(worst <= 0.06);
    CHECK(carried.factors[3] == 1.0);
  }
}

#include "apps/shingle/profile_tiles.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/write_file.hpp"
#include "devices/files/tile_costs_file.hpp"
#include "devices/measure/tile_fit.hpp"

namespace shingle {
namespace {

constexpr auto probe_time = std::chrono::seconds(5);
constexpr size_t fewest_probe_tiles = 2;

using Tables = std::vector<TileTable>;
using Json = nlohmann::ordered_json;

std::string text_of(const char* format, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string grid_of(const TileTable& table) {
  return std::to_string(table.rows) + "x" + std::to_string(table.columns);
}

template <class Keep>
Tables kept(const Tables& tables, const Keep& keep) {
  Tables result;
  std::copy_if(tables.begin(), tables.end(), std::back_inserter(result), keep);
  return result;
}

std::map<int32_t, Tables> by_cores(const Tables& tables) {
  std::map<int32_t, Tables> groups;
  for (const TileTable& table : tables) groups[table.cores].push_back(table);
  return groups;
}

Result<TileCosts> fitted(const Tables& tables, const std::string& name) {
  TileCosts costs{.name = name, .costs = {}};
  for (const auto& [cores, group] : by_cores(tables)) {
    const auto samples = tile_samples(group);
    if (!samples) return samples.failure();
    const DarknetCost cost = fit_darknet(*samples);
    const TileErrors errors = errors_of(cost, *samples);
    costs.costs.push_back({.cores = cores,
                           .tiles = static_cast<int64_t>(errors.count),
                           .mean_error = errors.mean,
                           .worst_error = errors.worst,
                           .cost = cost});
  }
  return costs;
}

// Those that are shipped, for as many cores as there may be tables.
TileCosts shipped() {
  TileCosts costs{.name = "shipped", .costs = {}};
  for (int32_t cores = 1; cores <= 4; ++cores)
    costs.costs.push_back({.cores = cores, .cost = pi3_darknet(cores)});
  return costs;
}

struct CheckRow {
  std::string what;
  TileErrors errors;
  std::string worst_tile;
};

Result<CheckRow> check_row(const std::string& what, const DarknetCost& cost, const Tables& tables) {
  const auto samples = tile_samples(tables);
  if (!samples) return samples.failure();
  const TileErrors errors = errors_of(cost, *samples);
  const TileSample& worst = (*samples)[errors.worst_sample];
  return CheckRow{.what = what,
                  .errors = errors,
                  .worst_tile = tables[worst.table].name + ", tile " +
                                std::to_string(worst.tile.tile) +
                                (worst.tile.reuses ? " reusing" : " alone")};
}

// A row for each table, and one for all tables of the same cores.
Result<std::vector<CheckRow>> checked(const TileCosts& costs, const Tables& tables) {
  std::vector<CheckRow> rows;
  for (const auto& [cores, group] : by_cores(tables)) {
    const auto found =
        std::find_if(costs.costs.begin(), costs.costs.end(),
                     [cores = cores](const FittedCosts& each) { return each.cores == cores; });
    if (found == costs.costs.end())
      return bad_input("there are tables of " + std::to_string(cores) +
                       " cores and no costs fitted for so many");
    for (const TileTable& table : group) {
      const auto row = check_row(table.name, found->cost, {table});
      if (!row) return row.failure();
      rows.push_back(*row);
    }
    const auto row = check_row(
        "all of " + std::to_string(cores) + (cores == 1 ? " core" : " cores"), found->cost, group);
    if (!row) return row.failure();
    rows.push_back(*row);
  }
  return rows;
}

std::string printed(const std::vector<CheckRow>& rows) {
  std::string text =
      text_of("%-28s %5s  %6s  %6s  %s\n", "table", "tiles", "mean %", "worst %", "which");
  for (const CheckRow& row : rows)
    text += text_of("%-28s %5zu  %6.2f  %6.2f  %s\n", row.what.c_str(), row.errors.count,
                    100.0 * row.errors.mean, 100.0 * row.errors.worst, row.worst_tile.c_str());
  return text;
}

Json json_of(const CheckRow& row) {
  return {{"table", row.what},
          {"tiles", row.errors.count},
          {"mean_error", row.errors.mean},
          {"worst_error", row.errors.worst},
          {"worst_tile", row.worst_tile}};
}

Json json_of(const FittedCosts& fitted) {
  Json json{{"cores", fitted.cores},
            {"tiles", fitted.tiles},
            {"mean_error", fitted.mean_error},
            {"worst_error", fitted.worst_error}};
  const auto values = values_of(fitted.cost);
  for (size_t term = 0; term < darknet_terms; ++term) json[darknet_term_names[term]] = values[term];
  return json;
}

int fit_and_check(const ProfileOptions& all) {
  const TileProfileOptions& options = all.tiles;
  Result<TileCosts> costs = shipped();
  if (!options.with.empty()) costs = load_tile_costs(options.with);
  if (!options.fit.empty()) {
    const auto tables = load_tile_tables(options.fit);
    if (!tables) return fail(tables.failure());
    const Tables chosen = kept(*tables, [&](const TileTable& table) {
      return options.grid.empty() || grid_of(table) == options.grid;
    });
    if (chosen.empty())
      return fail(bad_input("'" + options.fit + "' has no table of the grid " + options.grid));
    costs = fitted(chosen, options.grid.empty() ? "fitted" : "fitted to " + options.grid);
  }
  if (!costs) return fail(costs.failure());
  Json json;
  std::string text;
  if (!options.fit.empty()) {
    const std::string file = print(*costs);
    if (!all.out.empty())
      if (const Status written = write_file(all.out, std::as_bytes(std::span(file))); !written)
        return fail(Exit::runtime, written.error());
    if (all.out.empty() && options.check.empty()) text = file;
    for (const FittedCosts& each : costs->costs) json["fitted"].push_back(json_of(each));
  }
  if (!options.check.empty()) {
    const auto tables = load_tile_tables(options.check);
    if (!tables) return fail(tables.failure());
    const Tables others = kept(*tables, [&](const TileTable& table) {
      return options.grid.empty() || grid_of(table) != options.grid;
    });
    if (others.empty())
      return fail(
          bad_input("'" + options.check + "' has no table of another grid than " + options.grid));
    const auto rows = checked(*costs, others);
    if (!rows) return fail(rows.failure());
    text += printed(*rows);
    for (const CheckRow& row : *rows) json["checked"].push_back(json_of(row));
  }
  return print(all.json ? json.dump() + "\n" : text);
}

// --- to another board
// -----------------------------------------------------------------------------

struct Carried {
  Tables here;
  std::vector<TileSample> samples;
  Retargeting retargeting;
  size_t probe_tiles = 0;
  std::optional<TileErrors> rest;  // of the tiles that were not drawn
};

Result<Carried> carried(const TileProfileOptions& options) {
  const auto here = load_tile_tables(options.fit), there = load_tile_tables(options.retarget);
  if (!here) return here.failure();
  if (!there) return there.failure();
  Carried result{.here = by_cores(*here).begin()->second,
                 .samples = {},
                 .retargeting = {},
                 .probe_tiles = 0,
                 .rest = {}};
  const Tables probed = by_cores(*there).rbegin()->second;
  const auto samples = tile_samples(result.here), probe_samples = tile_samples(probed);
  if (!samples) return samples.failure();
  if (!probe_samples) return probe_samples.failure();
  result.samples = *samples;
  std::vector<ProbeTile> tiles = matched(result.here, *samples, probed, *probe_samples), probe;
  std::vector<bool> is_drawn(tiles.size(), !options.seed);
  if (options.seed)
    for (size_t index : draw_probe(tiles, probe_time, *options.seed)) is_drawn[index] = true;
  for (size_t i = 0; i < tiles.size(); ++i)
    if (is_drawn[i]) probe.push_back(tiles[i]);
  if (probe.size() < fewest_probe_tiles)
    return bad_input("'" + options.retarget + "' and '" + options.fit +
                     "' have fewer than two tiles in common");
  result.probe_tiles = probe.size();
  result.retargeting =
      retarget(*samples, probe,
               options.other_board ? RetargetOptions{.copies = std::nullopt} : RetargetOptions{});
  if (!options.seed) return result;
  TileErrors errors;
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (is_drawn[i]) continue;
    const double error =
        std::abs(retargeted_ns(result.retargeting, tiles[i].here) / tiles[i].there_ns - 1.0);
    errors.mean += error;
    errors.worst = std::max(errors.worst, error);
    ++errors.count;
  }
  if (errors.count > 0) errors.mean /= static_cast<double>(errors.count);
  result.rest = errors;
  return result;
}

Status write_carried(const Carried& carried, const std::string& folder) {
  if (const Status made = make_folder(folder); !made) return made;
  Tables tables = carried.here;
  for (TileTable& table : tables) table.tiles.clear();
  for (const TileSample& sample : carried.samples) {
    MeasuredTile tile = sample.tile;
    tile.mean_ns = retargeted_ns(carried.retargeting, sample);
    tables[sample.table].tiles.push_back(tile);
  }
  for (const TileTable& table : tables) {
    const std::string text = print(table);
    const Status written =
        write_file(folder + "/" + table.name + ".prof", std::as_bytes(std::span(text)));
    if (!written) return written;
  }
  return success();
}

int carry(const ProfileOptions& all) {
  const auto result = carried(all.tiles);
  if (!result) return fail(result.failure());
  if (!all.out.empty())
    if (const Status written = write_carried(*result, all.out); !written)
      return fail(Exit::runtime, written.error());
  const Retargeting& there = result->retargeting;
  const auto& f = there.factors;
  if (all.json) {
    Json json{{"probe_tiles", result->probe_tiles},
              {"factors", {{"multiply", f[0]}, {"pack", f[1]}, {"maps", f[2]}, {"copies", f[3]}}},
              {"expected_mean_error", there.expected_mean},
              {"expected_worst_error", there.expected_worst}};
    if (result->rest)
      json["rest"] = {{"tiles", result->rest->count},
                      {"mean_error", result->rest->mean},
                      {"worst_error", result->rest->worst}};
    return print(json.dump() + "\n");
  }
  std::string text =
      text_of(
          "A tile takes, of its time here: multiplying %.3f, packing %.3f, maps %.3f, "
          "copies %.3f.\n",
          f[0], f[1], f[2], f[3]) +
      text_of("Expected error, from %zu tiles: mean %.2f %%, worst %.2f %%.\n", result->probe_tiles,
              100.0 * there.expected_mean, 100.0 * there.expected_worst);
  if (result->rest)
    text += text_of("Error of the other %zu tiles: mean %.2f %%, worst %.2f %%.\n",
                    result->rest->count, 100.0 * result->rest->mean, 100.0 * result->rest->worst);
  return print(text);
}

}  // namespace

void describe_tiles(CLI::App& verb, TileProfileOptions& options) {
  auto* fit = verb.add_option("--fit", options.fit,
                              "fit costs to the tables of measured tiles (.prof) in this folder")
                  ->type_name("FOLDER");
  verb.add_option("--check", options.check, "print the errors of costs on the tables here")
      ->type_name("FOLDER");
  verb.add_option("--grid", options.grid,
                  "fit to tables of this grid only, and check those of the others")
      ->type_name("RxC")
      ->needs(fit);
  verb.add_option("--with", options.with,
                  "check these costs, written by --fit --out (default: those of a Pi 3)")
      ->type_name("FILE")
      ->excludes(fit);
  auto* retarget =
      verb.add_option("--retarget", options.retarget,
                      "carry the tables of --fit to the board, or cores, of these few tiles")
          ->type_name("PROBE")
          ->needs(fit);
  verb.add_flag("--other-board", options.other_board,
                "the probe is of another board, not of the same with more cores")
      ->needs(retarget);
  verb.add_option("--seed", options.seed,
                  "draw tiles of 5 s from PROBE, and print the error on the others")
      ->type_name("N")
      ->needs(retarget);
}

bool is_about_tiles(const TileProfileOptions& options) {
  return !options.fit.empty() || !options.check.empty();
}

int run_tiles(const ProfileOptions& options) {
  if (!options.tiles.with.empty() && options.tiles.check.empty())
    return fail(Exit::usage, "--with names costs to check; name what to check with --check");
  return options.tiles.retarget.empty() ? fit_and_check(options) : carry(options);
}

}  // namespace shingle

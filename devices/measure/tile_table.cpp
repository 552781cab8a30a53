#include "devices/measure/tile_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

#include "devices/files/toml_table.hpp"
#include "devices/files/toml_text.hpp"
#include "partition/base/text.hpp"

namespace shingle {
namespace {

constexpr size_t largest_text = 4 << 20;
constexpr int32_t most_tiles = 64, most_layers = 1000, most_cores = 256;
constexpr double shortest_us = 1e-3;  // of a tile: the clock's nanosecond
constexpr double longest_us = 1e10;   // three hours
constexpr std::string_view tiles_header = "name_of_function";

struct Row {
  std::string_view function;
  double first = 0.0, second = 0.0, third = 0.0;  // whole numbers
  double calls = 0.0, microseconds = 0.0;
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t begin = 0; begin < line.size();) {
    const size_t from = line.find_first_not_of(" \t\r", begin);
    if (from == std::string_view::npos) break;
    const size_t to = std::min(line.find_first_of(" \t\r", from), line.size());
    words.push_back(line.substr(from, to - from));
    begin = to;
  }
  return words;
}

bool read_number(std::string_view word, double& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() && std::isfinite(value) &&
         value >= 0.0;
}

bool is_whole(double value) { return value <= 1e9 && value == std::floor(value); }

// Calls `each` with every row. An error names the line.
template <class Each>
Status read_rows(std::string_view text, std::string_view file_name, const Each& each) {
  const std::string file(file_name);
  if (text.size() > largest_text) return bad_input(file + " is larger than 4 MiB: it is no table");
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const auto words = words_of(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    const std::string where = file + ":" + std::to_string(number) + ": ";
    if (number == 1) {
      if (words.empty() || words[0] != tiles_header)
        return bad_input(where + "a table of tile times begins with the line 'name_of_function'");
      continue;
    }
    if (words.empty()) continue;
    Row row{.function = words[0]};
    const bool good = words.size() == 6 && read_number(words[1], row.first) &&
                      read_number(words[2], row.second) && read_number(words[3], row.third) &&
                      read_number(words[4], row.calls) && read_number(words[5], row.microseconds) &&
                      is_whole(row.first) && is_whole(row.second) && is_whole(row.third) &&
                      is_whole(row.calls) && row.microseconds <= longest_us;
    if (!good)
      return bad_input(where +
                       "a row is a function, four whole numbers and a time in microseconds");
    if (const auto wrong = each(row); wrong) return bad_input(where + *wrong);
  }
  if (number == 0) return bad_input(file + " is empty");
  return success();
}

std::string stem(std::string_view file_name) {
  std::string name(file_name.substr(file_name.find_last_of('/') + 1));
  if (name.ends_with(".prof")) name.resize(name.size() - 5);
  return name;
}

// What the name says; nothing if it is no table's.
std::optional<TileTable> named_table(std::string_view file_name) {
  TileTable table{.name = stem(file_name)};
  std::string_view left = table.name;
  const auto number = [&](int32_t& value, int32_t most) {
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), value);
    left.remove_prefix(static_cast<size_t>(end - left.data()));
    return error == std::errc() && value >= 1 && value <= most;
  };
  const auto word = [&](std::string_view expected) {
    const bool there = left.starts_with(expected);
    if (there) left.remove_prefix(expected.size());
    return there;
  };
  const bool good = number(table.rows, most_tiles) && word("x") &&
                    number(table.columns, most_tiles) && word("_grid_") &&
                    number(table.layers, most_layers) && word("_layers_") &&
                    number(table.cores, most_cores) && word("_core") && left.empty();
  if (!good) return std::nullopt;
  return table;
}

struct Sum {
  double us = 0.0, count = 0.0;
  double mean_ns() const { return 1e3 * us / count; }
};

}  // namespace

Result<TileTable> parse_tile_table(std::string_view text, std::string_view file_name) {
  std::optional<TileTable> table = named_table(file_name);
  if (!table)
    return bad_input(in_quotes(file_name) +
                     " is no name of a tile table, such as 3x3_grid_16_layers_1_core.prof");
  std::map<std::pair<uint32_t, bool>, Sum> tiles;
  Sum loading;
  const double count = double{1} * table->rows * table->columns;
  const auto each = [&](const Row& row) -> std::optional<std::string> {
    Sum* sum = row.function == "load_image_as_model_input" ? &loading : nullptr;
    if (row.function == "forward_partition") {
      if (row.second >= count || row.third > 1.0)
        return "the grid has " + std::to_string(table->rows * table->columns) +
               " tiles, numbered from 0, and 'reuse' is 0 or 1";
      if (row.microseconds < shortest_us || row.calls <= 0.0) return "a tile takes no time";
      sum = &tiles[{static_cast<uint32_t>(row.second), row.third == 1.0}];
    }
    if (sum != nullptr) {
      sum->us += row.microseconds;
      sum->count += 1.0;
    }
    return std::nullopt;
  };
  const Status status = read_rows(text, file_name, each);
  if (!status) return status.failure();
  if (tiles.empty()) return bad_input(std::string(file_name) + " has no row of forward_partition");
  for (const auto& [key, sum] : tiles)
    table->tiles.push_back({.tile = key.first, .reuses = key.second, .mean_ns = sum.mean_ns()});
  if (loading.count > 0.0) table->loading = Duration(static_cast<int64_t>(loading.mean_ns()));
  return *std::move(table);
}

std::string print(const TileTable& table) {
  std::string text = "name_of_function\tframe#\tpartition#\treuse\tcalling#\tavg_time\n";
  const auto row = [&](const char* function, const std::string& tile, bool reuses, double ns) {
    text += std::string(function) + "\t0\t" + tile + "\t" + (reuses ? "1" : "0") + "\t1\t" +
            exact_decimal(1e-3 * ns) + "\n";
  };
  for (const MeasuredTile& tile : table.tiles)
    row("forward_partition", std::to_string(tile.tile), tile.reuses, tile.mean_ns);
  if (table.loading > Duration::zero())
    row("load_image_as_model_input", "0", false, in_nanoseconds(table.loading));
  return text;
}

Result<std::vector<TileTable>> load_tile_tables(const std::string& path) {
  std::vector<std::string> files;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error))
      if (named_table(entry->path().string())) files.push_back(entry->path().string());
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(path);
  }
  if (files.empty())
    return bad_input("in " + in_quotes(path) +
                     " there is no tile table, such as 3x3_grid_16_layers_1_core.prof");
  std::vector<TileTable> tables;
  for (const std::string& file : files) {
    const Result<std::string> text = read_text(file, "tile table", largest_text);
    if (!text) return text.failure();
    Result<TileTable> table = parse_tile_table(*text, file);
    if (!table) return table.failure();
    tables.push_back(*std::move(table));
  }
  return tables;
}

Result<PacketCosts> parse_packet_costs(std::string_view text, std::string_view file_name) {
  std::map<std::string, double, std::less<>> us;
  const Status status = read_rows(text, file_name, [&](const Row& row) {
    us.emplace(row.function, row.microseconds);
    return std::optional<std::string>();
  });
  if (!status) return status.failure();
  const auto sum = [&](const std::vector<std::string>& functions) -> Result<Duration> {
    double total = 0.0;
    for (const std::string& function : functions) {
      const auto found = us.find(function);
      if (found == us.end())
        return bad_input(std::string(file_name) + " has no row of " + function);
      total += found->second;
    }
    return Duration(static_cast<int64_t>(1e3 * total + 0.5));
  };
  const auto send = sum({"tcp_write", "etharp_output"});
  const auto receive = sum({"tcp_input", "netconn_recv", "sys_timeouts_mbox_fetch"});
  if (!send) return send.failure();
  if (!receive) return receive.failure();
  return PacketCosts{*send, *receive};
}

Result<PacketCosts> load_packet_costs(const std::string& path) {
  const Result<std::string> text = read_text(path, "profile of packets", largest_text);
  if (!text) return text.failure();
  return parse_packet_costs(*text, path);
}

Result<std::vector<FtpTileTime>> tile_times(const TileTable& table) {
  const auto count = static_cast<size_t>(table.rows) * static_cast<size_t>(table.columns);
  std::vector<FtpTileTime> times(count);
  for (const MeasuredTile& tile : table.tiles) {
    const Duration time(static_cast<int64_t>(tile.mean_ns));
    (tile.reuses ? times[tile.tile].reusing : times[tile.tile].alone) = time;
  }
  for (size_t tile = 0; tile < count; ++tile) {
    FtpTileTime& time = times[tile];
    if (time.alone == Duration::zero())
      return bad_input(table.name + " has no time of tile " + std::to_string(tile) + " alone");
    if (time.reusing == Duration::zero()) time.reusing = time.alone;
  }
  return times;
}

}  // namespace shingle

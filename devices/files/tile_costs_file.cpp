#include "devices/files/tile_costs_file.hpp"

#include <sstream>

#include "devices/files/toml_table.hpp"
#include "devices/files/toml_text.hpp"
#include "partition/deepthings/ftp_darknet.hpp"

namespace shingle {
namespace {

constexpr size_t largest_text = 64 << 10;
constexpr Bounds error_bounds{0.0, 1e6}, nanoseconds_bounds{0.0, 1e9};
constexpr double most_cores = 256.0, most_tiles = 1e6;

Result<FittedCosts> read_costs(const toml::table& table, std::string_view file) {
  TomlTable in(table, file, "[[costs]]");
  std::vector<std::string> known{"cores", "tiles", "mean_error", "worst_error"};
  known.insert(known.end(), darknet_term_names.begin(), darknet_term_names.end());
  in.refuse_keys_besides(known);
  FittedCosts costs;
  costs.cores = static_cast<int32_t>(in.whole("cores", {1, most_cores}, std::nullopt));
  costs.tiles = in.whole("tiles", {0, most_tiles}, 0);
  costs.mean_error = in.number("mean_error", error_bounds, 0.0);
  costs.worst_error = in.number("worst_error", error_bounds, 0.0);
  std::array<double, darknet_terms> values{};
  for (size_t term = 0; term < darknet_terms; ++term)
    values[term] = in.number(darknet_term_names[term], nanoseconds_bounds, std::nullopt);
  costs.cost = darknet_cost(values);
  if (costs.cost.ns_per_mac == 0.0)
    in.fail("ns_per_mac", "'ns_per_mac' must be above 0: no processor multiplies in no time");
  if (!in.status()) return in.status().failure();
  return costs;
}

Result<TileCosts> read(const toml::table& root, std::string_view file) {
  TomlTable in(root, file, "file of tile costs");
  in.refuse_keys_besides({"name", "costs"});
  TileCosts costs;
  costs.name = in.text("name", std::nullopt, true);
  const toml::node* node = root.get("costs");
  const toml::array* array = node == nullptr ? nullptr : node->as_array();
  if (array == nullptr || array->empty() || !array->is_homogeneous<toml::table>())
    in.fail("costs", "a file of tile costs needs at least one [[costs]]");
  if (!in.status()) return in.status().failure();
  for (const toml::node& each : *array) {
    const Result<FittedCosts> fitted = read_costs(*each.as_table(), file);
    if (!fitted) return fitted.failure();
    if (!costs.costs.empty() && fitted->cores <= costs.costs.back().cores) {
      TomlTable at(*each.as_table(), file, "[[costs]]");
      at.fail("cores", "each [[costs]] must be for more cores than the one before");
      return at.status().failure();
    }
    costs.costs.push_back(*fitted);
  }
  return costs;
}

}  // namespace

Result<TileCosts> parse_tile_costs(std::string_view text, std::string_view file_name) {
  if (text.size() > largest_text)
    return bad_input(std::string(file_name) + " is larger than 64 KiB: it has no tile costs");
  return as_bad_input(
      parse_toml(text, file_name, [&](const toml::table& root) { return read(root, file_name); }));
}

std::string print(const TileCosts& costs) {
  std::ostringstream text;
  text << "name = \"" << costs.name << "\"\n";
  for (const FittedCosts& each : costs.costs) {
    text << "\n[[costs]]\ncores = " << each.cores << "\ntiles = " << each.tiles
         << "\nmean_error = " << exact_decimal(each.mean_error)
         << "\nworst_error = " << exact_decimal(each.worst_error) << "\n";
    const auto values = values_of(each.cost);
    for (size_t term = 0; term < darknet_terms; ++term)
      text << darknet_term_names[term] << " = " << exact_decimal(values[term]) << "\n";
  }
  return text.str();
}

Result<TileCosts> load_tile_costs(const std::string& path) {
  const Result<std::string> text = read_text(path, "file of tile costs", largest_text);
  if (!text) return text.failure();
  return parse_tile_costs(*text, path);
}

}  // namespace shingle

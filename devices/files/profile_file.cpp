#include "devices/files/profile_file.hpp"

#include <algorithm>
#include <sstream>

#include "devices/files/toml_table.hpp"
#include "devices/files/toml_text.hpp"
#include "devices/threads/cores.hpp"
#include "partition/base/text.hpp"

namespace shingle {

namespace {

constexpr size_t largest_text = 64 << 10;
constexpr Bounds nanoseconds_bounds{0.0, 1e12};
constexpr double least_ns_per_mac = 1e-9;
constexpr Bounds granule_bounds{1.0, 1024.0};

const auto& profile_keys =
    *new std::vector<std::string>{"name",       "cores",      "memory", "memory_gbps", "link_mbps",
                                  "idle_watts", "busy_watts", "cost",   "speedup",     "run_on"};
const auto& cost_keys = *new std::vector<std::string>{"ns_per_mac", "ns_per_element",
                                                      "ns_per_weight", "ns_per_call", "granule"};

WorkKind kind_at(size_t index) { return static_cast<WorkKind>(index); }

Result<WorkCost> read_cost(const toml::table& table, std::string_view file,
                           const std::string& what) {
  TomlTable in(table, file, what);
  in.refuse_keys_besides(cost_keys);
  WorkCost cost;
  cost.ns_per_mac = in.number("ns_per_mac", nanoseconds_bounds, 0.0);
  cost.ns_per_element = in.number("ns_per_element", nanoseconds_bounds, 0.0);
  cost.ns_per_weight = in.number("ns_per_weight", nanoseconds_bounds, 0.0);
  cost.ns_per_call = in.number("ns_per_call", nanoseconds_bounds, std::nullopt);
  const std::vector<int64_t> granule = in.wholes("granule", 3, granule_bounds, {1, 1, 1});
  cost.granule = {static_cast<int32_t>(granule[0]), static_cast<int32_t>(granule[1]),
                  static_cast<int32_t>(granule[2])};
  if (cost.ns_per_mac == 0.0 && cost.ns_per_element == 0.0)
    in.fail("ns_per_mac",
            what + " costs nothing by MAC and nothing by element; one must be above 0");
  if (!in.status()) return in.status().failure();
  return cost;
}

// The kind whose figures count for one that files did not always have: both bring a weight, or two
// values, to each multiply-add in much the same way.
std::optional<WorkKind> stand_in(WorkKind kind) {
  if (kind == WorkKind::product) return WorkKind::pointwise;
  if (kind == WorkKind::recurrence) return WorkKind::depthwise;
  return std::nullopt;
}

Result<std::array<WorkCost, work_kinds>> read_costs(const toml::table& root,
                                                    std::string_view file) {
  const toml::node* node = root.get("cost");
  const toml::table* costs = node == nullptr ? nullptr : node->as_table();
  const std::string name(file);
  if (costs == nullptr)
    return Error{name + ": the profile has no costs; write [cost.convolution] and so on"};
  TomlTable in(*costs, file, "[cost]");
  std::vector<std::string> known;
  for (size_t kind = 0; kind < work_kinds; ++kind) known.emplace_back(name_of(kind_at(kind)));
  in.refuse_keys_besides(known);
  if (!in.status()) return in.status().failure();
  std::array<WorkCost, work_kinds> result;
  for (size_t kind = 0; kind < work_kinds; ++kind) {
    const std::string what = "[cost." + known[kind] + "]";
    const toml::node* value = costs->get(known[kind]);
    const std::optional<WorkKind> like = stand_in(kind_at(kind));
    if (value == nullptr && like) {
      result[kind] = result[static_cast<size_t>(*like)];
      continue;
    }
    if (value == nullptr || !value->is_table())
      return Error{name + ": the profile has no " + what + ", which every profile needs"};
    const Result<WorkCost> cost = read_cost(*value->as_table(), file, what);
    if (!cost) return cost.failure();
    result[kind] = *cost;
  }
  if (result[0].ns_per_mac < least_ns_per_mac)
    return Error{name + ": the profile's convolutions cost nothing by MAC; ns_per_mac must be " +
                 "above 0 in [cost.convolution]"};
  return result;
}

Result<DeviceProfile> read(const toml::table& root, std::string_view file) {
  TomlTable in(root, file, "profile");
  in.refuse_keys_besides(profile_keys);
  DeviceProfile profile;
  profile.name = in.text("name", std::nullopt, true);
  profile.cores = static_cast<int32_t>(in.whole("cores", {1, 4096}, profile.cores));
  const double all = profile.cores;
  profile.speedup = in.number("speedup", {1.0, all}, all);
  profile.run_on = in.text("run_on", std::string(), false);
  if (!profile.run_on.empty() && !is_core_choice(profile.run_on))
    in.fail("run_on", shingle::in_quotes(profile.run_on) + core_choices);
  profile.memory_bytes = in.memory("memory", 0);
  profile.memory_gbps = in.number("memory_gbps", {0.0, 1e6}, 0.0);
  profile.link_mbps = in.number("link_mbps", {1e-3, 1e9}, profile.link_mbps);
  profile.costs.idle_watts = in.number("idle_watts", {0.0, 1e5}, profile.costs.idle_watts);
  profile.costs.busy_watts = in.number("busy_watts", {0.0, 1e5}, profile.costs.busy_watts);
  if (!in.status()) return in.status().failure();
  const auto costs = read_costs(root, file);
  if (!costs) return costs.failure();
  profile.costs.costs = *costs;
  return profile;
}

void print(std::ostringstream& text, const char* name, const WorkCost& cost) {
  text << "\n[cost." << name << "]\nns_per_mac = " << exact_decimal(cost.ns_per_mac)
       << "\nns_per_element = " << exact_decimal(cost.ns_per_element);
  // Versions before this key existed refuse it, and announce no such cost.
  if (cost.ns_per_weight > 0.0) text << "\nns_per_weight = " << exact_decimal(cost.ns_per_weight);
  text << "\nns_per_call = " << exact_decimal(cost.ns_per_call) << "\ngranule = [" << cost.granule.y
       << ", " << cost.granule.x << ", " << cost.granule.c << "]\n";
}

}  // namespace

Result<DeviceProfile> parse_profile(std::string_view text, std::string_view file_name) {
  if (text.size() > largest_text)
    return bad_input(std::string(file_name) + " is larger than 64 KiB: it is no device profile");
  return as_bad_input(
      parse_toml(text, file_name, [&](const toml::table& root) { return read(root, file_name); }));
}

std::string print(const DeviceProfile& profile) {
  std::ostringstream text;
  text << "name = \"" << profile.name << "\"\ncores = " << profile.cores
       << "\nspeedup = " << exact_decimal(profile.speedup)
       << (profile.run_on.empty() ? "" : "\nrun_on = \"" + profile.run_on + "\"")
       << "\nmemory = " << memory_text(profile.memory_bytes)
       << "\nmemory_gbps = " << exact_decimal(profile.memory_gbps)
       << "\nlink_mbps = " << exact_decimal(profile.link_mbps)
       << "\nidle_watts = " << exact_decimal(profile.costs.idle_watts)
       << "\nbusy_watts = " << exact_decimal(profile.costs.busy_watts) << "\n";
  for (size_t kind = 0; kind < work_kinds; ++kind)
    print(text, name_of(kind_at(kind)), profile.costs.costs[kind]);
  return text.str();
}

Result<DeviceProfile> load_profile(const std::string& path) {
  const Result<std::string> text = read_text(path, "device profile", largest_text);
  if (!text) return text.failure();
  return parse_profile(*text, path);
}

}  // namespace shingle

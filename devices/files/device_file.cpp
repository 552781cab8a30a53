#include "devices/files/device_file.hpp"

#include <algorithm>
#include <sstream>

#include "devices/files/suggest.hpp"
#include "devices/files/toml_table.hpp"
#include "devices/files/toml_text.hpp"
#include "partition/base/text.hpp"

namespace shingle {
namespace {

constexpr size_t largest_text = 64 << 10;
constexpr Bounds watts_bounds{0.0, 1e5}, celsius_bounds{-60.0, 200.0}, ghz_bounds{1e-3, 100.0};
constexpr Bounds positive{1e-6, 1e6}, packet_us_bounds{0.0, 1e6};
constexpr double most_cores = 256.0, largest_jitter = 0.15, least_hysteresis_kelvin = 0.1;
constexpr double most_clocks = 32.0;

// A table of the file: absent, it is empty.
class Part {
 public:
  Part(const toml::table& root, std::string_view file, const std::string& name, bool required)
      : there_(root.get(name) != nullptr && root.get(name)->is_table()),
        in_(there_ ? *root.get(name)->as_table() : root, file, "[" + name + "]") {
    if (!there_ && (required || root.get(name) != nullptr))
      in_.fail(name, "a device file needs the table [" + name + "]");
  }
  explicit operator bool() const { return there_; }
  TomlTable* operator->() { return &in_; }

 private:
  bool there_;
  TomlTable in_;
};

Duration microseconds(double value) { return Duration(static_cast<int64_t>(value * 1e3 + 0.5)); }
double in_microseconds(Duration value) { return 1e-3 * in_nanoseconds(value); }

// The first error of those that follow each other.
void keep(Status& first, const Status& status) {
  if (first && !status) first = status.failure();
}

Status read_compute(const toml::table& root, std::string_view file, DeviceSpec& spec) {
  Part in(root, file, "compute", true);
  if (!in) return in->status();
  in->refuse_keys_besides({"cores", "slots", "jitter", "send_us", "receive_us"});
  spec.cores = static_cast<int32_t>(in->whole("cores", {1, most_cores}, std::nullopt));
  spec.slots = static_cast<int32_t>(in->whole("slots", {1, most_cores}, 1));
  spec.jitter = in->number("jitter", {0.0, largest_jitter}, 0.0);
  spec.send_packet = microseconds(in->number("send_us", packet_us_bounds, 0.0));
  spec.receive_packet = microseconds(in->number("receive_us", packet_us_bounds, 0.0));
  return in->status();
}

Status read_memory(const toml::table& root, std::string_view file, DeviceSpec& spec) {
  Part in(root, file, "memory", false);
  if (!in) return in->status();
  in->refuse_keys_besides({"size", "gbps", "cache"});
  spec.memory_bytes = in->memory("size", 0);
  spec.memory_gbps = in->number("gbps", {0.0, 1e6}, 0.0);
  spec.cache_bytes = in->memory("cache", 0);
  return in->status();
}

Status read_power(const toml::table& root, std::string_view file, DeviceSpec& spec) {
  Part in(root, file, "power", true);
  if (!in) return in->status();
  in->refuse_keys_besides({"idle_watts", "busy_watts", "radio_watts", "packet_joules"});
  DevicePower& power = spec.power;
  power.idle_watts = in->number("idle_watts", watts_bounds, std::nullopt);
  power.busy_watts = in->numbers("busy_watts", {1, most_cores}, watts_bounds);
  const bool ascends = std::is_sorted(power.busy_watts.begin(), power.busy_watts.end());
  if (!power.busy_watts.empty() && (!ascends || power.busy_watts[0] < power.idle_watts))
    in->fail("busy_watts", "'busy_watts' must ascend, and begin at no less than 'idle_watts'");
  if (in->has("radio_watts"))
    if (const auto radio = in->numbers("radio_watts", {3, 3}, watts_bounds); radio.size() == 3)
      power.radio = RadioPower{radio[0], radio[1], radio[2]};
  if (in->has("packet_joules"))
    if (const auto joules = in->numbers("packet_joules", {2, 2}, {0.0, 1e3}); joules.size() == 2)
      std::tie(power.sent_packet_joules, power.received_packet_joules) =
          std::pair(joules[0], joules[1]);
  return in->status();
}

Status read_heat(const toml::table& root, std::string_view file, DeviceSpec& spec) {
  Part in(root, file, "heat", false);
  if (!in) return in->status();
  in->refuse_keys_besides(
      {"ambient_celsius", "bare_kelvin_per_watt", "fan_kelvin_per_watt", "joules_per_kelvin"});
  DeviceHeat heat;
  heat.ambient_celsius = in->number("ambient_celsius", celsius_bounds, heat.ambient_celsius);
  heat.bare_kelvin_per_watt = in->number("bare_kelvin_per_watt", positive, std::nullopt);
  heat.fan_kelvin_per_watt = in->number("fan_kelvin_per_watt", positive, std::nullopt);
  heat.joules_per_kelvin = in->number("joules_per_kelvin", positive, std::nullopt);
  spec.heat = heat;
  return in->status();
}

// Calls `read` for each [[name]]. An error if they are something else.
template <class Read>
Status read_each(const toml::table& root, std::string_view file, const std::string& name,
                 const Read& read) {
  const toml::node* node = root.get(name);
  if (node == nullptr) return success();
  const toml::array* array = node->as_array();
  TomlTable in(root, file, "device file");
  if (array == nullptr || array->size() > static_cast<size_t>(most_clocks) ||
      !array->is_homogeneous<toml::table>())
    in.fail(name, "write [[" + name + "]], at most " + std::to_string(int(most_clocks)) + " times");
  if (!in.status()) return in.status();
  for (const toml::node& each : *array) {
    TomlTable table(*each.as_table(), file, "[[" + name + "]]");
    read(table);
    if (!table.status()) return table.status();
  }
  return success();
}

Status read_clocks(const toml::table& root, std::string_view file, DeviceSpec& spec) {
  std::vector<ClockStep> clocks;
  const Status status = read_each(root, file, "clock", [&](TomlTable& in) {
    in.refuse_keys_besides({"ghz", "power"});
    const ClockStep step{.ghz = in.number("ghz", ghz_bounds, std::nullopt),
                         .power = in.number("power", {0.0, 1.0}, std::nullopt)};
    if (clocks.empty() && step.power != 1.0)
      in.fail("power", "the first [[clock]] is the nominal one: its 'power' is 1.0");
    if (!clocks.empty() && (step.ghz >= clocks.back().ghz || step.power > clocks.back().power))
      in.fail("ghz", "each [[clock]] must be slower than the one before, and take no more power");
    clocks.push_back(step);
  });
  if (status && clocks.empty()) {
    TomlTable in(root, file, "device file");
    in.fail("clock", "a device file needs at least one [[clock]]");
    return in.status();
  }
  spec.clocks = clocks;
  return status;
}

Status read_throttle(const toml::table& root, std::string_view file, DeviceSpec& spec) {
  return read_each(root, file, "throttle", [&](TomlTable& in) {
    in.refuse_keys_besides({"celsius", "ghz", "below_celsius"});
    ThrottleStep step;
    step.celsius = in.number("celsius", celsius_bounds, std::nullopt);
    step.ghz = in.number("ghz", ghz_bounds, std::nullopt);
    step.below_celsius = in.number("below_celsius", celsius_bounds, std::nullopt);
    if (step.below_celsius > step.celsius - least_hysteresis_kelvin)
      in.fail("below_celsius", "'below_celsius' must be at least 0.1 below 'celsius'");
    if (std::none_of(spec.clocks.begin(), spec.clocks.end(),
                     [&](const ClockStep& clock) { return clock.ghz == step.ghz; }))
      in.fail("ghz", "no [[clock]] has this 'ghz'");
    if (!spec.throttle.empty() &&
        (step.celsius <= spec.throttle.back().celsius || step.ghz > spec.throttle.back().ghz))
      in.fail("celsius", "each [[throttle]] must be hotter than the one before, and no faster");
    spec.throttle.push_back(step);
  });
}

const auto& tables =
    *new std::vector<std::string>{"compute", "memory", "power", "heat", "clock", "throttle"};

// A table or a figure ("power.idle_watts").
bool is_there(const toml::table& root, const std::string& name) {
  const size_t point = name.find('.');
  const std::string table = name.substr(0, point);
  if (std::find(tables.begin(), tables.end(), table) == tables.end()) return false;
  if (point == std::string::npos) return root.contains(table);
  const toml::table* figures = root[table].as_table();
  return figures != nullptr && figures->contains(name.substr(point + 1));
}

Status read_sources(const toml::table& root, std::string_view file, DeviceSpec& spec) {
  Part in(root, file, "sources", true);
  if (!in) return in->status();
  for (const auto& [key, value] : *root.get("sources")->as_table()) {
    const std::string name(key.str());
    if (!is_there(root, name))
      in->fail(name, in_quotes(name) + " is a source of no table and no figure of this file");
    spec.sources[name] = in->text(name, std::nullopt, true);
  }
  for (const std::string& table : tables) {
    if (root.get(table) == nullptr || spec.sources.contains(table)) continue;
    const toml::table* figures = root.get(table)->as_table();
    if (figures == nullptr)
      in->fail(table, "[sources] does not say where the figures of [[" + table + "]] are from");
    else
      for (const auto& [key, value] : *figures)
        if (const std::string figure = table + "." + std::string(key.str());
            !spec.sources.contains(figure))
          in->fail(figure, "[sources] does not say where " + in_quotes(figure) + " is from");
  }
  return in->status();
}

Result<DeviceSpec> read(const toml::table& root, std::string_view file) {
  TomlTable in(root, file, "device file");
  in.refuse_keys_besides(
      {"name", "profile", "compute", "memory", "power", "heat", "clock", "throttle", "sources"});
  DeviceSpec spec;
  spec.name = in.text("name", std::nullopt, true);
  if (in.has("profile")) spec.profile = in.text("profile", std::nullopt);
  Status status = in.status();
  for (const auto& part :
       {read_compute, read_memory, read_power, read_heat, read_clocks, read_throttle, read_sources})
    if (status) keep(status, part(root, file, spec));
  if (!status) return status.failure();
  return spec;
}

std::string list(const std::vector<double>& numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0 ? "" : ", ") + exact_decimal(numbers[i]);
  return text + "]";
}

// Prints the figures that have a source. The others are as if the file did not name them.
class Printer {
 public:
  explicit Printer(const DeviceSpec& spec) : sources_(spec.sources) {}

  void table(const std::string& name) { table_ = name, begun_ = false; }
  void figure(const std::string& key, const std::string& value) {
    if (!sources_.contains(table_) && !sources_.contains(table_ + "." + key)) return;
    if (!begun_) text_ << "\n[" << table_ << "]\n";
    begun_ = true;
    text_ << key << " = " << value << "\n";
  }
  void figure(const std::string& key, double value) { figure(key, exact_decimal(value)); }
  void figure(const std::string& key, int32_t value) { figure(key, std::to_string(value)); }
  std::string text() const { return text_.str(); }

 private:
  const std::map<std::string, std::string>& sources_;
  std::string table_;
  bool begun_ = false;
  std::ostringstream text_;
};

void print_compute(Printer& to, const DeviceSpec& spec) {
  to.table("compute");
  to.figure("cores", spec.cores);
  to.figure("slots", spec.slots);
  to.figure("jitter", spec.jitter);
  to.figure("send_us", in_microseconds(spec.send_packet));
  to.figure("receive_us", in_microseconds(spec.receive_packet));
}

void print_memory(Printer& to, const DeviceSpec& spec) {
  to.table("memory");
  to.figure("size", memory_text(spec.memory_bytes));
  to.figure("gbps", spec.memory_gbps);
  to.figure("cache", memory_text(spec.cache_bytes));
}

void print_power(Printer& to, const DevicePower& power) {
  to.table("power");
  to.figure("idle_watts", power.idle_watts);
  to.figure("busy_watts", list(power.busy_watts));
  if (power.radio)
    to.figure("radio_watts", list({power.radio->sending_watts, power.radio->receiving_watts,
                                   power.radio->idle_watts}));
  to.figure("packet_joules", list({power.sent_packet_joules, power.received_packet_joules}));
}

void print_heat(Printer& to, const DeviceHeat& heat) {
  to.table("heat");
  to.figure("ambient_celsius", heat.ambient_celsius);
  to.figure("bare_kelvin_per_watt", heat.bare_kelvin_per_watt);
  to.figure("fan_kelvin_per_watt", heat.fan_kelvin_per_watt);
  to.figure("joules_per_kelvin", heat.joules_per_kelvin);
}

}  // namespace

Result<DeviceSpec> parse_device(std::string_view text, std::string_view file_name) {
  if (text.size() > largest_text)
    return bad_input(std::string(file_name) + " is larger than 64 KiB: it is no device file");
  return as_bad_input(
      parse_toml(text, file_name, [&](const toml::table& root) { return read(root, file_name); }));
}

std::string print(const DeviceSpec& spec) {
  Printer figures(spec);
  print_compute(figures, spec);
  print_memory(figures, spec);
  print_power(figures, spec.power);
  if (spec.heat) print_heat(figures, *spec.heat);
  std::ostringstream text;
  text << "name = \"" << spec.name << "\"\n";
  if (!spec.profile.empty()) text << "profile = \"" << spec.profile << "\"\n";
  text << figures.text();
  for (const ClockStep& clock : spec.clocks)
    text << "\n[[clock]]\nghz = " << exact_decimal(clock.ghz)
         << "\npower = " << exact_decimal(clock.power) << "\n";
  for (const ThrottleStep& step : spec.throttle)
    text << "\n[[throttle]]\ncelsius = " << exact_decimal(step.celsius)
         << "\nghz = " << exact_decimal(step.ghz)
         << "\nbelow_celsius = " << exact_decimal(step.below_celsius) << "\n";
  text << "\n[sources]\n";
  for (const auto& [figure, source] : spec.sources)
    text << "\"" << figure << "\" = \"" << source << "\"\n";
  return text.str();
}

Result<DeviceSpec> find_device(const std::string& name, const std::string& folder) {
  if (const auto text = device_text(name)) return parse_device(*text, name + ".toml");
  if (!name.ends_with(".toml")) {
    const std::vector<std::string> known = device_names();
    const std::optional<std::string> near = nearest(name, known);
    std::string all;
    for (const std::string& each : known) all += " " + each;
    return bad_input("there is no device " + in_quotes(name) +
                     (near ? "; did you mean '" + *near + "'?" : "; known are" + all) +
                     "; a file's name ends in .toml");
  }
  const std::string path = name.starts_with('/') || folder.empty() ? name : folder + "/" + name;
  const Result<std::string> text = read_text(path, "device file", largest_text);
  if (!text) return text.failure();
  return parse_device(*text, path);
}

}  // namespace shingle

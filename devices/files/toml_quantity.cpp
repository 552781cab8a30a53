// Numbers with units, as people write them: "200 ms", "94 Mb/s".
#include <algorithm>
#include <charconv>
#include <cmath>

#include "devices/files/cluster_table.hpp"
#include "devices/files/toml_text.hpp"

namespace shingle {

namespace {

using Unit = Quantity::Unit;

constexpr Unit of_durations[] = {{"ns", 1.0}, {"us", 1e3},   {"ms", 1e6},
                                 {"s", 1e9},  {"min", 60e9}, {"h", 3600e9}};
constexpr Unit of_data_rates[] = {{"b/s", 1.0},  {"kb/s", 1e3}, {"Mb/s", 1e6},
                                  {"Gb/s", 1e9}, {"kB/s", 8e3}, {"MB/s", 8e6}};
constexpr Unit of_frequencies[] = {{"/s", 1.0}, {"/min", 1.0 / 60.0}, {"/h", 1.0 / 3600.0}};
constexpr Unit of_data_sizes[] = {{"B", 1.0},  {"kB", 1e3},     {"MB", 1e6},
                                  {"GB", 1e9}, {"KiB", 1024.0}, {"MiB", 1024.0 * 1024.0}};

}  // namespace

constinit const Quantity durations{"200 ms", of_durations};
constinit const Quantity data_rates{"94 Mb/s", of_data_rates};
constinit const Quantity frequencies{"2 /s", of_frequencies};
constinit const Quantity data_sizes{"10 MB", of_data_sizes};

namespace {

std::string unit_list(const Quantity& quantity) {
  std::string list;
  for (const Quantity::Unit& unit : quantity.units)
    list += (list.empty() ? "" : ", ") + std::string(unit.name);
  return list;
}

// In the largest unit that gives at least 1: "3600 s" is "1 h".
std::string plainly(double value, const Quantity& quantity) {
  const Quantity::Unit* chosen = &quantity.units.front();
  for (const Quantity::Unit& unit : quantity.units)
    if (unit.factor <= value && unit.factor > chosen->factor) chosen = &unit;
  std::string number = exact_decimal(value / chosen->factor);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return number + " " + chosen->name;
}

}  // namespace

std::optional<double> with_unit(std::string_view text, const Quantity& quantity) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Quantity::Unit& known : quantity.units)
    if (unit == known.name) return number * known.factor;
  return std::nullopt;
}

double TomlTable::quantity(std::string_view key, const Quantity& quantity, Bounds bounds,
                           std::optional<double> otherwise) {
  const toml::node* value = value_of(key, !otherwise);
  if (value == nullptr) return otherwise.value_or(bounds.minimum);
  const std::string how = std::string("write a number and its unit, such as \"") +
                          quantity.example + "\" (" + unit_list(quantity) + ")";
  const auto* text = value->as_string();
  if (text == nullptr) {
    const bool number = value->is_number();
    fail_at(value->source(),
            in_quotes(key) + (number ? " has no unit; " : " must be a text; ") + how);
    return bounds.minimum;
  }
  const std::optional<double> measured = with_unit(text->get(), quantity);
  if (!measured) {
    fail_at(value->source(), in_quotes(key) + " is " + in_quotes(text->get()) + "; " + how);
    return bounds.minimum;
  }
  if (*measured >= bounds.minimum && *measured <= bounds.maximum) return *measured;
  fail_at(value->source(), in_quotes(key) + " must be from " + plainly(bounds.minimum, quantity) +
                               " to " + plainly(bounds.maximum, quantity));
  return bounds.minimum;
}

std::vector<std::string> TomlTable::words(std::string_view key) {
  std::vector<std::string> words;
  const toml::node* value = value_of(key, false);
  if (value == nullptr) return words;
  constexpr size_t most = 1000;
  const auto is_word = [](const toml::node& element) {
    const auto* text = element.as_string();
    return text != nullptr && !text->get().empty() && text->get().size() <= 64 &&
           text->get().find_first_of(" \t\n\"\\") == std::string::npos;
  };
  const toml::array* array = value->as_array();
  if (array == nullptr || array->empty() || array->size() > most ||
      !std::all_of(array->begin(), array->end(), is_word)) {
    fail_at(value->source(), in_quotes(key) + " must be a list of words, such as [\"conv3:16\"]");
    return words;
  }
  for (const toml::node& element : *array) words.push_back(element.as_string()->get());
  return words;
}

Duration TomlTable::duration(std::string_view key, Bounds seconds,
                             std::optional<Duration> otherwise) {
  std::optional<double> nanoseconds;
  if (otherwise) nanoseconds = in_nanoseconds(*otherwise);
  return Duration(std::llround(
      quantity(key, durations, {seconds.minimum * 1e9, seconds.maximum * 1e9}, nanoseconds)));
}

namespace {

// Calls `take(words)` for each line that has any, without its comment. What it returns, if
// anything, is wrong with the line.
template <class Take>
Status each_line(const std::string& path, std::string_view what, const Take& take) {
  constexpr size_t largest = 64 << 20;
  const Result<std::string> text = read_text(path, what, largest);
  if (!text) return text.failure();
  size_t line = 0;
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    std::string_view words = std::string_view(*text).substr(begin, end - begin);
    begin = end + 1, ++line;
    words = words.substr(0, words.find('#'));
    while (!words.empty() && (words.back() == ' ' || words.back() == '\r')) words.remove_suffix(1);
    if (words.empty()) continue;
    if (const std::string wrong = take(words); !wrong.empty())
      return bad_input(path + ":" + std::to_string(line) + ": " + wrong);
  }
  return success();
}

std::optional<Duration> moment_of(std::string_view words) {
  const std::optional<double> at = with_unit(words, durations);
  if (!at || *at < 0.0 || *at > 86'400e9) return std::nullopt;
  return Duration(std::llround(*at));
}

constexpr const char* goes_back = "this moment lies before the one in the line above";

}  // namespace

Result<std::vector<Duration>> load_moments(const std::string& path) {
  std::vector<Duration> moments;
  const Status status = each_line(path, "list of moments", [&](std::string_view words) {
    const auto at = moment_of(words);
    if (!at) return std::string("write a moment with its unit, such as \"1.5 s\"");
    if (!moments.empty() && *at < moments.back()) return std::string(goes_back);
    moments.push_back(*at);
    return std::string();
  });
  if (!status) return status.failure();
  if (moments.empty()) return bad_input(path + " has no moments");
  return moments;
}

Result<std::vector<LinkRate>> load_rates(const std::string& path) {
  std::vector<LinkRate> rates;
  const Status status = each_line(path, "rate trace", [&](std::string_view words) {
    // "12.5 s 20 Mb/s": the moment ends behind its unit.
    const size_t unit = words.find_first_of("numsh", words.find_first_not_of(" 0123456789.e+-"));
    const size_t end = std::min(words.find(' ', unit), words.size());
    const auto at = moment_of(words.substr(0, end));
    std::string_view rest = words.substr(end);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    const auto rate = with_unit(rest, data_rates);
    if (!at || !rate || *rate < 1.0 || *rate > 1e15)
      return std::string("write a moment and a rate, such as \"12.5 s 20 Mb/s\"");
    if (rates.empty() && *at != Duration{}) return std::string("the first moment must be 0 s");
    if (!rates.empty() && *at < rates.back().at) return std::string(goes_back);
    rates.push_back({*at, *rate / 1e6});
    return std::string();
  });
  if (!status) return status.failure();
  if (rates.empty()) return bad_input(path + " has no rates");
  return rates;
}

std::string duration_text(Duration duration) {
  const int64_t count = duration.count();
  const Quantity::Unit* chosen = &durations.units.front();
  for (const Quantity::Unit& unit : durations.units)
    if (count != 0 && count % static_cast<int64_t>(unit.factor) == 0) chosen = &unit;
  std::string text("\"");
  text.append(std::to_string(count / static_cast<int64_t>(chosen->factor)));
  return text.append(" ").append(chosen->name).append("\"");
}

}  // namespace shingle

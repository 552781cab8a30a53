#include "partition/readers/darknet/section.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "partition/base/text.hpp"

namespace shingle::darknet {

namespace {

constexpr size_t longest_list = 4096;

template <class T>
std::optional<T> parse(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

std::string plain(float value) {
  std::string text = std::to_string(value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::optional<std::string_view> Section::value(std::string_view key) const {
  for (const CfgOption& option : cfg_.options) {
    if (option.key == key) return option.value;
  }
  return std::nullopt;
}

void Section::refuse(std::string what) {
  if (!sound()) return;
  wrong_ = "line " + std::to_string(cfg_.line) + ", [" + readable(cfg_.kind) + "]";
  if (layer_ >= 0) wrong_ += " (layer " + std::to_string(layer_) + ")";
  wrong_ += ": " + what;
}

void Section::refuse_value(std::string_view key, std::string_view value, const char* wanted) {
  refuse(in_quotes(key) + " is " + in_quotes(value) + ", and should be " + wanted);
}

int32_t Section::integer(std::string_view key, int32_t usual, Range range) {
  const std::optional<std::string_view> given = value(key);
  if (!given) return usual;
  const std::optional<int32_t> parsed = parse<int32_t>(*given);
  if (parsed && *parsed >= range.low && *parsed <= range.high) return *parsed;
  const std::string wanted =
      "a whole number from " + std::to_string(range.low) + " to " + std::to_string(range.high);
  refuse_value(key, *given, wanted.c_str());
  return usual;
}

float Section::number(std::string_view key, float usual) {
  const std::optional<std::string_view> given = value(key);
  if (!given) return usual;
  const std::optional<float> parsed = parse<float>(*given);
  if (!parsed) refuse_value(key, *given, "a number");
  return parsed.value_or(usual);
}

std::string_view Section::text(std::string_view key, std::string_view usual) const {
  return value(key).value_or(usual);
}

template <class T>
std::vector<T> Section::list(std::string_view key, const char* wanted) {
  std::vector<T> values;
  std::string_view rest = value(key).value_or("");
  while (!rest.empty() && values.size() < longest_list) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::optional<T> parsed = parse<T>(trimmed(rest.substr(0, comma)));
    if (!parsed) refuse_value(key, *value(key), wanted);
    values.push_back(parsed.value_or(T{}));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (!rest.empty()) {
    refuse(in_quotes(key) + " holds more than " + std::to_string(longest_list) + " values");
  }
  return values;
}

std::vector<int32_t> Section::integers(std::string_view key) {
  return list<int32_t>(key, "whole numbers with commas between them");
}

std::vector<float> Section::numbers(std::string_view key) {
  return list<float>(key, "numbers with commas between them");
}

void Section::insist(std::string_view key, float wanted) {
  const float given = number(key, wanted);
  if (given == wanted) return;
  refuse(in_quotes(key) + " is " + plain(given) + ", and shingle computes it with " +
         plain(wanted) + " only");
}

}  // namespace shingle::darknet

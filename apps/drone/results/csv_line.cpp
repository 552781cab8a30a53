#include "apps/drone/results/csv_line.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace shingle::drone {

std::vector<std::string_view> csv_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != fields.data()) line += ',';
    line += field;
  }
  return line += '\n';
}

std::string csv_name(const std::string& name) {
  assert(name.find_first_of("\"\n") == std::string::npos);
  if (name.find(',') == std::string::npos) return name;
  std::string quoted(1, '"');
  return quoted.append(name).append(1, '"');
}

std::optional<int64_t> csv_whole(std::string_view field) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return value;
}

std::string csv_text(const std::optional<double>& value, int decimals) {
  if (!value) return {};
  assert(std::isfinite(*value));
  std::array<char, 400> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), *value,
                                          std::chars_format::fixed, decimals);
  assert(error == std::errc());
  return {text.data(), end};
}

}  // namespace shingle::drone

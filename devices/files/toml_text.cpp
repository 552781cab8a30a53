#include "devices/files/toml_text.hpp"

#include <array>
#include <charconv>

namespace shingle {

std::string exact_decimal(double value) {
  std::array<char, 32> buffer{};
  const auto [end, problem] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::optional<int64_t> memory_with_unit(std::string_view text) {
  double count = 0.0;
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), count, std::chars_format::fixed);
  if (problem != std::errc{} || !(count >= 0.0)) return std::nullopt;
  std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  for (const MemoryUnit& unit : memory_units) {
    const double bytes = count * static_cast<double>(unit.bytes);
    if (rest == unit.name && bytes <= static_cast<double>(max_memory))
      return static_cast<int64_t>(bytes);
  }
  return std::nullopt;
}

std::string memory_text(int64_t bytes) {
  for (const MemoryUnit& unit : memory_units) {
    if (bytes <= 0 || bytes % unit.bytes != 0) continue;
    std::string text = "\"";
    return text.append(std::to_string(bytes / unit.bytes))
        .append(" ")
        .append(unit.name)
        .append("\"");
  }
  return std::to_string(bytes);
}

}  // namespace shingle

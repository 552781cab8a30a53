#include "devices/toml_text.hpp"

#include <array>
#include <charconv>

namespace shingle {

std::string exact_decimal(double value) {
  std::array<char, 32> buffer{};
  const auto [end, problem] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
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

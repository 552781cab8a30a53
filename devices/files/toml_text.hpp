// How values stand in the files that this program prints, so that reading them gives the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shingle {

struct MemoryUnit {
  std::string_view name;
  int64_t bytes;
};
inline constexpr MemoryUnit memory_units[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}};

std::string exact_decimal(double value);  // the shortest that reads back as the same number: "4.0"
inline constexpr int64_t most_memory = int64_t{1} << 50;  // a pebibyte: more is a slip of the pen

// "512 MiB" or "48MiB" as bytes, at most `most_memory`; none for anything else.
std::optional<int64_t> memory_with_unit(std::string_view text);
std::string memory_text(int64_t bytes);  // "\"512 MiB\"", or a number where no unit divides it

}  // namespace shingle
